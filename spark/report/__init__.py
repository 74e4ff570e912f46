"""The page that someone opens on Monday, made of rows that others have worked out."""

from __future__ import annotations

from spark.report.html import check_drawing, html_of
from spark.report.markdown import markdown_of
from spark.report.material import GroupMaterial, Material
from spark.report.sums import clusters_of, of_groups, one_of, worst_groups

__all__ = [
    "GroupMaterial",
    "Material",
    "check_drawing",
    "clusters_of",
    "html_of",
    "markdown_of",
    "of_groups",
    "one_of",
    "worst_groups",
]
