"""Every exercise of the book: what it asks, how it is judged, why the answer is right, a hint.

One module for each chapter; an exercise's id is its chapter's name and its number there.
"""

from lib.book.questions import attention, kl, temperature

EXERCISES = {
    f"{page.__name__.rpartition('.')[2]}-{number}": exercise
    for page in (attention, kl, temperature)
    for number, exercise in enumerate(page.EXERCISES, start=1)
}
