"""Which rows name the columns, and which are no records; the tables are written by hand."""

from __future__ import annotations

import pytest

import distpriv as dp
from distpriv.tables.formats import open_grid
from distpriv.tables.layout import column_names, guess_layout, tell_layout
from distpriv.tables.options import ReadOptions

WORDS = "name,town\n" + "Ann,Ulm\nBob,Bonn\nCat,Ulm\n" * 4
DATA = "1,F,2.5\n2,M,3.25\n3,F,1.5\n4,M,7.5\n" * 3
QUESTIONS = ",Response,Yes,No\n" + "\n".join(
    f"{i},b,Yes,\n{i}1,b,,No\n{i}2,c,Yes," for i in range(9)
)
IDS = '"{""ImportId"":""q""}","{""ImportId"":""r""}"\n'
READ = {  # text, names, records
    "plain": ("a,b,c\n" + DATA, "a b c", 12),
    "no names": (DATA, "column_1 column_2 column_3", 12),
    "unseen signs in names": ("a,a\u200b,\u202eb\n" + DATA, "a a_(2) b", 12),
    "one column": ("n\n" + "1\n2\n7\n" * 3, "n", 9),
    "one column without a name": ("1\n2\n7\n" * 3, "column_1", 9),
    "one record": ("n,sex\n1,F\n", "n sex", 1),
    "words": (WORDS, "name town", 12),
    "words without names": (WORDS.partition("\n")[2], "column_1 column_2", 12),
    "title of words": ("List of people,\n\n" + WORDS, "name town", 12),
    "title, group, units": ("T,,\n\n,who,\na,b,c\nkg,,cm\n" + DATA, "a b c", 12),
    "types of words": (WORDS.replace("\n", "\nstring,string\n", 1), "name town", 12),
    "one answer in all": ("a,b,c\n,Response,Response\n" + DATA, "a b c", 12),
    "identifiers below": (WORDS.replace("\n", "\nQ of all,R of all\n" + IDS, 1), "name town", 12),
    "two rows of names": (f"id,Do you?,What?,\n{QUESTIONS}", "id Do_you?_Response What?_Yes What?_No", 27),
    "groups": (",Young,Old,\n,m,f,m\n" + "A,1,2,3\nB,2,3,4\nC,4,4,5\n" * 3,
               "column_1 Young_m Old_f Old_m", 9),
    "years": ("Land,2001,2002\n" + "A,1.5,2.5\nB,4.5,3\nC,4,8\n" * 3, "Land 2001 2002", 9),
    "years below words": (",Jahr,Jahr\n,2001,2002\n" + "A,1.5,2.5\nB,4.5,3\n" * 4,
                          "column_1 2001 2002", 8),
    "a year in records": ("Ann,2001\nBob,1999\nCat,1980\n" * 4, "column_1 column_2", 12),
    "counted names": ("1,2,3\n" + "2.5,3,1\n8,0.5,7\n" * 4, "1 2 3", 8),
    "records that count": ("1,2,3\n4,5,6\n7,8,9\n", "column_1 column_2 column_3", 3),
    "row names of R": ("x,y\n" + "".join(f"P{i},{i}.5,F\n" for i in "abcdefgh"), "row x y", 8),
    "names again": ("a,b,c\n" + DATA + "a,b,c\n" + DATA, "a b c", 24),
    "ticks as names": ("Tea,Milk\n" + "Tea,\n,Milk\nTea,Milk\n" * 5, "Tea Milk", 15),
    "suppressed first": ("a,b,n\nX,Ulm,**\nY,Bonn,**\n" + "X,Ulm,2\nY,Ulm,3\n" * 9, "a b n", 20),
    "notes": (WORDS + "Source: a register,\nPage 7,\n1 as told,\n", "name town", 12),
    "one note": ("pet,town\n" + "cat,Ulm\ndog,Bonn\n" * 9 + "Source: a survey\n", "pet town", 18),
    "one of semicolons": ("x;kind\n" + "1,50;a\n2,25;b\n" * 6 + "3,75;a\nSource: page 7\n", "x kind", 13),
    "total": ("n,sex,x\n" + DATA + "All,,44.25\n", "n sex x", 12),
    "total of commas": ("s;x\n" + "F;1.500,5\nM;2.500,5\n" * 6 + "A;24.006,0\n", "s x", 12),
    "total without a word": ("n,sex,x\n" + DATA + ",,99\n", "n sex x", 12),
    "an answer like a total": ("x,word\n" + "A,Low\nB,Mean\nC,High\n" * 4 + "D,Mean\n", "x word", 13),
    "row names of a part": ("x,y\n" + "3,1.5,F\n7,2,M\n8,3,M\n12,2.5,F\n", "row x y", 4),
    "last record": ("n,sex,x\n" + DATA + "7,,3\n", "n sex x", 13),
}  # fmt: skip


@pytest.mark.parametrize(("text", "names", "records"), READ.values(), ids=READ)
def test_names_and_records_are_found(text, names, records):
    frame = dp.read_table(text.encode())
    assert [name.replace(" ", "_") for name in frame] == names.split()
    assert len(frame) == records


def laid_out(text):
    grid = open_grid(text.encode(), ReadOptions(), frozenset())
    return grid.cells, guess_layout(grid.cells, grid.options, frozenset())


@pytest.mark.parametrize("text", [text for text, *_ in READ.values()], ids=READ)
def test_each_row_that_is_left_out_is_read_by_a_click(text):
    cells, options = laid_out(text)
    told = [notice for notice in tell_layout(cells, options) if "left out" in notice.text]
    assert len(told) == options.first - 1 - len(options.header) + options.last
    for notice in told:
        again, row = options.changed(**dict(notice.changes)), int(notice.text.split()[1])
        assert again.first <= row <= len(cells) - again.last or row in again.header


def test_a_doubtful_row_of_names_is_told():
    for key, change in [
        ("years", {"header": (), "first": 1}),
        ("no names", {"header": (1,), "first": 2}),
        ("identifiers below", {"header": (2,)}),
        ("two rows of names", {"header": (2,)}),
        ("row names of R", {"header": (), "first": 1}),
    ]:
        cells, options = laid_out(READ[key][0])
        notices = [*tell_layout(cells, options), *column_names(cells, options)[1]]
        assert change in [dict(notice.changes) for notice in notices]
