"""Tables as text."""

from __future__ import annotations

PEOPLE = "name,age,sex,since,active\n" + "".join(
    f"Person {i},{20 + i % 7},{'FM'[i % 2]},2020-01-{i + 1:02d},{'true' if i % 3 else 'false'}\n"
    for i in range(20)
)
PEOPLE_TYPES = {
    "name": "identifier",
    "age": "number",
    "sex": "category",
    "since": "date",
    "active": "boolean",
}
ADULT = (
    "|1x3 Cross validator\n"
    "25, Private, 226802, 11th, 7, Never-married, Machine-op-inspct, Own-child, Black, Male, "
    "0, 0, 40, United-States, <=50K.\n"
    "38, ?, 89814, HS-grad, 9, Married-civ-spouse, ?, Husband, White, Male, "
    "0, 0, 50, United-States, >50K.\n\n"
)
