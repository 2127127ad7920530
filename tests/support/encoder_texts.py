"""Sentences of 3 to 62 tokens with which the pretrained encoder is tried; none from elsewhere."""

TEXTS = """
Why
No?
Rain again
Ship it!
Two plus two
Où est-il ?
42 / 6 = 7
The kettle whistles.
She sold seashells
Nobody came home early.
qwrtz plmkn vbgtf
Is the bridge still closed?
Ein Haus am See
THE LIFT IS OUT OF ORDER
A heron stood in the shallows.
lol my train is soooo late
for i in range(10): print(i)
They painted the fence green.
The violin was out of tune.
Prices rose by 3.5% in March.
お元気ですか
El perro duerme bajo la mesa.
Can you lend me an umbrella?
He never said that he stole it.
Fresh bread smells better than old bread.
The moon is 384,400 km away.
My neighbour's cat steals socks at night.
The lamp lit the room because it was dark.
The judge questioned the thief because he lied.
Turn left at the church, then keep straight on.
The soup was too salty, so we ordered another one.
If it snows tomorrow the school will stay closed.
мы читаем книгу о звёздах
She whispered so that the baby would not wake up.
An otter cracked a mussel on a stone, and ate it.
I have not been to the coast since the storm broke the pier.
error: expected `;` before `}` token (line 12, column 3)
The mayor promised new trams, but the money went elsewhere.
Grandmother kept buttons in a tin that once held biscuits.
He sat on the bank of the river and counted the barges.
The bank refused the loan because the firm had no income.
Unless someone objects, the minutes of the last meeting stand.
Although the map was old, it showed the path that the new one left out.
A letter without a stamp arrived after eleven years, and nobody knew the hand.
The mechanic told the driver that the brakes which he had bought were for another car.
Photosynthesis turns light, water and carbon dioxide into sugar and oxygen, slowly but surely.
The children built a dam of sticks and mud, and the stream, offended, found another way.
When the orchestra had tuned, the conductor raised her hand; then a telephone rang in the third row.
Put the flour in a bowl, add a pinch of salt, rub in the butter, and let it rest for an hour.
The train to the north leaves from platform nine at 7:42, except on Sundays, when there is none at all.
Nobody expected the smallest team of the league to win, least of all its goalkeeper, who had packed his bag.
Our lighthouse has had no keeper for thirty years, yet each evening at dusk its lamp still turns, as if \
someone were there.
The old clock in the hall, which had stopped on the day of the flood, began to strike again when the carpenter \
moved it.
Because the harbour freezes in January, the fishermen mend their nets, paint their boats, and argue about \
whose turn it is.
It was neither the length of the speech nor its tone that annoyed the audience, but that the speaker had read \
every word of it.
Send the parcel to Flat 3b, 17 Quarry Lane; if nobody answers, leave it with the baker opposite, who knows us, \
and ring once.
The committee that had been asked to shorten its report wrote a second one, twice as long, in which it \
explained why that was difficult.
As the fog lifted the hikers saw that the ridge they had followed all morning ended at a cliff, and that the \
hut stood beyond it, near.
Whoever borrowed the ladder from the shed behind the library is kindly asked to bring it back before the roof \
leaks again, as it will.
She learned to juggle with three lemons, then with four, then with four and a knife, and gave it up when her \
landlady, who had been watching from the stairs, asked whether lunch would be late again, and who, if anybody, \
would mop up the floor.
""".strip().splitlines()
