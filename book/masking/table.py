"""The scores of every query of the running example with every key, in points.

They are the products of the queries and keys that the chapter *What does attention compute?* makes by hand. The
last row, of the query "it", is `book.example.SCORES`.
"""

TABLE = (
    (0.2, 2.0, 0.0, 0.2, 1.5, 0.0, 0.8),
    (0.0, 0.0, 2.2, 0.0, 0.0, 0.0, 0.0),
    (0.4, 3.0, 0.0, 0.4, 3.0, 0.0, 1.6),
    (0.2, 2.0, 0.0, 0.2, 1.5, 0.0, 0.8),
    (0.0, 0.0, 2.2, 0.0, 0.0, 0.0, 0.0),
    (0.0, 0.0, 4.4, 0.0, 0.0, 0.6, 0.0),
    (0.2, 2.0, 1.1, 0.2, 1.5, -0.6, 0.8),
)
