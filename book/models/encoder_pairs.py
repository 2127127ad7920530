"""Pairs of sentences in which one word decides what "it" means: the first noun, or the second.

The first is the one that the story of the head began with. The other 23 were written before any of them was
measured, and none was changed or left out afterwards. (Sentences like those about the trophy, and the dog and the
ball, had been tried before.) In each sentence `{}` is the place of the word: with the first word of a pair "it" is
the first noun, with the second the second.
"""

PAIRS = [
    ("The cat drank the milk because it was {}.", ("cat", "milk"), ("thirsty", "sweet")),
    ("The horse pulled the cart because it was {}.", ("horse", "cart"), ("strong", "empty")),
    ("The mouse ate the cheese because it was {}.", ("mouse", "cheese"), ("hungry", "ripe")),
    ("The knife cut the bread because it was {}.", ("knife", "bread"), ("sharp", "soft")),
    ("The dog chased the ball because it was {}.", ("dog", "ball"), ("playful", "rolling")),
    ("The wolf ate the sheep because it was {}.", ("wolf", "sheep"), ("hungry", "slow")),
    ("The truck passed the bus because it was {}.", ("truck", "bus"), ("fast", "slow")),
    ("The table did not fit through the door because it was too {}.", ("table", "door"), ("wide", "narrow")),
    ("The trophy did not fit in the suitcase because it was too {}.", ("trophy", "suitcase"), ("big", "small")),
    ("The ball broke the window because it was {}.", ("ball", "window"), ("heavy", "thin")),
    ("The bird left the nest because it was {}.", ("bird", "nest"), ("hungry", "full")),
    ("The baby dropped the toy because it was {}.", ("baby", "toy"), ("tired", "slippery")),
    ("The boat hit the rock because it was {}.", ("boat", "rock"), ("drifting", "hidden")),
    ("The bee flew to the flower because it was {}.", ("bee", "flower"), ("hungry", "open")),
    ("The monkey peeled the banana because it was {}.", ("monkey", "banana"), ("hungry", "ripe")),
    ("The car did not fit in the garage because it was too {}.", ("car", "garage"), ("large", "small")),
    ("The fire melted the ice because it was {}.", ("fire", "ice"), ("hot", "thin")),
    ("The hammer broke the vase because it was {}.", ("hammer", "vase"), ("heavy", "fragile")),
    ("The fox watched the hen because it was {}.", ("fox", "hen"), ("hungry", "fat")),
    ("The water filled the cup because it was {}.", ("water", "cup"), ("rising", "empty")),
    ("The frog caught the fly because it was {}.", ("frog", "fly"), ("quick", "slow")),
    ("The shirt did not fit the doll because it was too {}.", ("shirt", "doll"), ("tight", "fat")),
    ("The lamp lit the room because it was {}.", ("lamp", "room"), ("bright", "dark")),
    ("The cow ate the grass because it was {}.", ("cow", "grass"), ("hungry", "fresh")),
]
