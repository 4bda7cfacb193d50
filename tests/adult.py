"""Moments of UCI Adult's 45 222 complete records, as aggregates: what check values were computed on.

Five columns: age, education-num, marital-status = Never-married, sex = Female, hours-per-week. Group 0
is without the property, group 1 with it. Dua & Graff, UCI Machine Learning Repository (CC BY 4.0).
"""

import numpy as np

from distpriv.model import Groups, fit_groups
from distpriv.model.grid import Grid, GroupGrids
from distpriv.queries import Count, Mean, Pair, Query, SensitiveProperty

QUERY = Query(
    [
        Mean("age"),
        Mean("education-num"),
        Count("marital-status", "Never-married"),
        Count("sex", "Female"),
        Mean("hours-per-week"),
    ]
)
INCOME = SensitiveProperty("income", ">50K")
WORK = SensitiveProperty("workclass", "Private")

# A row a group: its count, five means, and the upper triangle of its covariance (N − 1) by rows.
_INCOME = """
34014 36.749426706650205 9.630769683071676 0.4085670606220968
0.3829599576644911 39.3720232845299
184.00062810751135 -1.6885293855637595 -3.5889743022467258 -0.15776415725827003
13.798981402817992 5.85834347013487 0.10664139341877822 0.0964217830920042
2.4084979399174107 0.24164712193969223 0.027548451131525202 -1.0647401753774144
0.23630857588164286 -1.1413863906237738 143.3797200293289
11208 44.00606709493219 11.598501070663811 0.06254461099214846
0.14891149179157745 45.69048893647395
106.92599156219724 -0.49377157783573994 -0.3571208203397389 -0.29331007240491
-11.051749196723497 5.604823308466789 0.056968925623687765 0.03730719309914334
1.4220755076410079 0.058638014427992026 0.01334996379531578 0.06451032885979892
0.12674816812705042 -0.6751517832582347 116.59171108419963
"""
_WORK = """
11915 43.183550146873685 10.822156945027276 0.21712127570289552
0.2741921947125472 42.83634074695762
167.50827394903365 -0.9141394358548485 -2.3823102425685945 -0.48326828351824247
-3.952667216182325 6.800919134338816 0.011086115764179508 0.03827541217021052
3.164445697734026 0.169993894557379 0.035979922131831425 -0.7907179379200401
0.19902753901914677 -1.1955955363698605 189.18137186978103
33307 36.88963280991984 9.866724712522894 0.3606148857597502
0.3431110577356111 40.25892455039481
166.85667117664275 0.46625473017576813 -3.330732591123135 -0.40253178861958505
19.1182011243395 6.175385546114487 -0.012106843274859407 -0.0018894497901767106
4.304280492379833 0.23057871275865074 0.03764766365032051 -1.2387240369540635
0.22539262691999765 -1.292619640962948 126.33672715659027
"""


def groups(moments):
    """Return groups with the grid of whole numbers that all five columns have."""
    counts, means, triangles = np.split(np.array(moments.split(), float).reshape(2, -1), [1, 6], 1)
    upper = np.triu_indices(5)
    covariances = np.zeros((2, 5, 5))
    for matrix, triangle in zip(covariances, triangles, strict=True):
        matrix[upper] = triangle
        matrix.T[upper] = triangle
    ones = np.ones(5)
    grid = Grid(ones, ones, tuple(map(tuple, np.eye(5, dtype=int).tolist())))
    grids = GroupGrids(grid, (grid, grid), 1, (False, False))
    extremes = np.array([[17, 1, 0, 0, 1], [90, 16, 1, 1, 99.0]])
    return Groups(counts[:, 0], means, covariances, grids, extremes, "reference")


GROUPS = {INCOME: groups(_INCOME), WORK: groups(_WORK)}


SMALL = SensitiveProperty("s", "y")
BOUNDS = {"age": (17, 90), "education-num": (1, 16), "hours-per-week": (1, 99)}


def of_records(values, having, n, low, high, replacement=True, kind=Mean):
    """Return a model of one figure of each column of a small table."""
    columns = [f"c{place}" for place in range(values.shape[1])]
    query = Query([kind(one, 1) if kind is Count else kind(one) for one in columns])
    groups = Groups.of(values.astype(float), having, SMALL.label)
    return fit_groups([groups], query, [Pair(SMALL, low, high)], n, replacement)


def model(*pairs, n=100, replacement=False):
    """Return the model of the five statistics for pairs of the two secrets."""
    return fit_groups([GROUPS[pair.secret] for pair in pairs], QUERY, pairs, n, replacement)
