"""The page that a platform team opens each morning, of what the capabilities tell of a fleet."""

from spark.report.gather import Results, material_of
from spark.report.html import check_drawing, html_of, markdown_of
from spark.report.material import Material
