"""Ordinary sentences, each with one that says the same and one that shares words with it but says something else.

They were written for `book/models/encoder_maps.py`, before anything was measured on them.
"""

TRIPLES = [
    tuple(line.strip() for line in block.splitlines())
    for block in """\
The cat is asleep on the windowsill.
A cat naps by the window.
The cat knocked a pot off the windowsill.

We missed the last train, so we walked home.
The final train had left and we had to go home on foot.
We took the first train and were home before lunch.

Please turn down the music, the baby is sleeping.
Could you make it quieter? The child has just fallen asleep.
The baby loves it when you turn up the music.

Prices for bread have doubled since last winter.
Bread costs twice as much as it did a year ago.
The bakery sells twice as much bread in winter.

My grandmother taught me how to make dumplings.
I learned to cook dumplings from my granny.
My grandmother asked me to buy some dumplings.

The match was called off because of heavy rain.
They cancelled the game since it was pouring.
The match began on time in spite of the rain.

He has been learning Italian for three years.
For three years now he has studied the Italian language.
He has been living with an Italian family for three years.

The museum is closed on Mondays.
You cannot visit the museum on a Monday.
The museum hired a new guard on Monday.

Could you tell me where the nearest pharmacy is?
Excuse me, is there a chemist close by?
Could you tell me when the pharmacy was built?

She painted the kitchen walls yellow.
The walls of her kitchen are now yellow, she did it herself.
She put a yellow chair in front of the kitchen wall.

The doctor told him to stop smoking.
His physician advised him to give up cigarettes.
The doctor stopped smoking when he told her to.

Our flight was delayed by four hours.
The plane left four hours late.
Our flight lasted four hours.

I do not think that this plan will work.
In my opinion the idea is going to fail.
I think that we should work on this plan.

Thousands of people marched through the city against the new law.
A huge crowd protested in the streets over the legislation.
Thousands of people moved to the city after the new law.

The lake froze over during the night.
By morning the lake was covered with ice.
We rowed across the lake during the night.

They have two daughters and a son.
Their three children are two girls and a boy.
Their son has two daughters.

The computer crashed and I lost my essay.
My paper is gone since the machine stopped working.
I wrote my essay about the first computer.

Nobody expected the small team to win the cup.
It came as a surprise that such a little club took the trophy.
Everybody expected the team to win a small cup.

The soup is too salty for me.
There is more salt in this soup than I like.
The soup needs some salt.

A storm destroyed the roof of the school.
The school lost its roof in a gale.
The school roof held in the storm.

Water boils at a lower temperature in the mountains.
High up, you need less heat to bring water to the boil.
The water of mountain streams has a low temperature.

He apologised for being late.
He said sorry that he had not come on time.
He was late because nobody had told him.

The bank raised its interest rates again.
Once more borrowing from the bank has become dearer.
We sat on the bank of the river again.

Children under six travel free of charge.
Kids up to five years need no ticket.
Children should not travel for more than six hours.

I have never seen such a beautiful sunset.
That was the loveliest evening sky I ever saw.
I have never seen the sun set before ten.

The bridge was built more than a hundred years ago.
For over a century this bridge has stood here.
A hundred people were on the bridge a year ago.

She sold her car and bought a bicycle.
Instead of an automobile she now owns a bike.
She sold her bicycle and bought a car.

The lecture was so boring that half of the students left.
Many in the audience walked out of the dull talk.
Half of the students left early to hear the lecture.

Mix the flour with the eggs and let the dough rest.
Stir eggs into the flour, then leave the paste alone for a while.
The rest of the eggs and the flour are in the cupboard.

The police are looking for a man in a red jacket.
Officers search for a male person who wears a red coat.
The police officer wore a red jacket.

Bees tell each other where flowers are by dancing.
A honeybee dances to show the others the way to blossoms.
The dancers told each other that they had brought flowers.

It is cheaper to repair the old fridge than to buy a new one.
Mending the refrigerator costs less than replacing it.
The new fridge was cheaper than the old one.

The king had no heir when he died.
At his death the monarch left no successor.
The king died before his heir was crowned.

You should back up your files every week.
Make a copy of your data once every seven days.
You should throw your old files away this week.

The old theatre has been turned into a hotel.
What was once a playhouse now has rooms for guests.
The old theatre stands opposite the hotel.

Most of the island is covered by forest.
Trees grow nearly everywhere on the island.
Most of the forest on the island has burnt down.

His answer was short and rather rude.
He replied briefly and not very politely.
His question was so long that nobody had an answer.

The vaccine protects well against severe illness.
Those who got the jab rarely fall seriously sick.
The illness is severe and there is no vaccine.

Two workers were hurt when the crane fell over.
The crane toppled and injured a pair of men.
Two workers put up the crane.

I prefer tea to coffee in the morning.
At breakfast I would rather drink tea than coffee.
I spilt coffee over my tea towel this morning.

The company hires fifty new engineers this year.
Fifty technicians will join the firm within twelve months.
The company dismissed fifty engineers this year.

We saw dolphins from the boat.
Out at sea some dolphins swam past our ship.
We saw a boat that is called Dolphin.

The road is blocked by a fallen tree.
A tree lies across the street, so nobody can pass.
The road is lined with old trees.

Her first novel became a bestseller overnight.
The book with which she began as a writer sold extremely well at once.
She read her first novel in one night.

The garden needs water, it has not rained for weeks.
After such a long dry spell the plants are thirsty.
It has rained for weeks and the garden is under water.

Light travels faster than sound.
Sound is slower than light.
The light is on but there is no sound.

He forgot to lock the door when he left.
On leaving he did not think of turning the key.
He locked the door and left the key inside.

Tickets can be returned until the day before the concert.
You may give your ticket back up to one day ahead of the show.
The band returned for one more concert the day after.
""".strip().split("\n\n")
]
SENTENCES = [first for first, _, _ in TRIPLES]
