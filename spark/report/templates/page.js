// Shows what the address says: clusters, finding, search, order, open rows. Nothing is fetched.
const $ = (selector, from = document) => from.querySelector(selector);
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const make = (tag, properties = {}, ...children) => {
  const one = Object.assign(document.createElement(tag), properties);
  one.append(...children);
  return one;
};
const figure = (number) => number.toLocaleString("en");
const packed = new Blob([Uint8Array.from(atob($("#data").textContent), (one) => one.charCodeAt(0))]);
const data = await new Response(packed.stream().pipeThrough(new DecompressionStream("deflate"))).json();
document.documentElement.classList.add("js");

// how old the snapshot is now, not when the page was written
const age = $("#age");
if (age) {
  const minutes = Math.max(0, Math.floor((Date.now() - Date.parse($("time").dateTime)) / 60000));
  const [size, noun] = minutes >= 1440 ? [1440, "day"] : minutes >= 60 ? [60, "hour"] : [1, "minute"];
  const count = Math.floor(minutes / size);
  age.textContent = `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"} old`;
  age.classList.toggle("stale", minutes >= 2880);
}

for (const code of all(".command code")) {
  const button = make("button", { type: "button", className: "copy", textContent: "Copy" });
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
  code.after(button);
}

// #cluster=a&cluster=b&finding=…&q=…&sort=-lag&row=g-…; `only` is a row alone, `at` a section
let address;
const read = () => {
  const text = location.hash.slice(1);
  address = new URLSearchParams(text.includes("=") ? text : text && { [text.startsWith("g-") ? "only" : "at"]: text });
};
const go = (changes, isTyping = false) => {
  for (const [name, values] of Object.entries(changes)) {
    address.delete(name);
    for (const value of [values].flat()) if (value) address.append(name, value);
  }
  history[isTyping ? "replaceState" : "pushState"]("drawn", "", `#${address}`);
  draw();
};
const toggled = (name, value) => {
  const values = address.getAll(name);
  return values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
};

// a chosen cluster changes every number, but those that say that they are of all clusters
const chips = all("[data-chip]").map((chip) => {
  const button = make("button", { type: "button" }, ...chip.childNodes);
  button.addEventListener("click", () => go({ cluster: toggled("cluster", button.textContent), only: "" }));
  chip.append(button);
  return button;
});
let chosen = [];
const isChosen = (one) => !chosen.length || chosen.includes(Number(one.dataset.c));
const numbers = all("[data-number]").map((one) => [one, one.textContent, one.nextElementSibling.textContent]);
const short = (value) => {
  for (const [size, noun] of [[1e12, "trillion"], [1e9, "billion"], [1e6, "million"]])
    if (value >= size) return `${figure(Number((value / size).toPrecision(4)))} ${noun}`;
  return figure(value);
};
const kinds = all("details.kind").map((kind) => [kind, $(".counts", kind), $(".counts", kind).textContent]);
const drawClusters = () => {
  for (const chip of chips) chip.ariaPressed = address.getAll("cluster").includes(chip.textContent);
  chosen = chips.flatMap((chip, at) => (chip.ariaPressed === "true" ? [at] : []));
  document.documentElement.classList.toggle("chosen", chosen.length > 0);
  for (const one of all("[data-c]:not(#table tr)")) one.hidden = !isChosen(one);
  const first = new Set();
  for (const card of all(".cards > li")) {
    card.hidden ||= first.size === 3 || first.has(card.dataset.kind);
    if (!card.hidden) first.add(card.dataset.kind);
  }
  for (const [kind, counts, was] of kinds) {
    const rows = all("li", kind).filter(isChosen);
    if ("more" in kind.dataset) continue;
    kind.hidden = !rows.length;
    const count = (severity) => rows.filter((row) => $(".vh", row).textContent.startsWith(severity)).length;
    const texts = was.split(", ").map((text) => text.split(" ")[1].replace(/s$/, "")).map((name) => [count(name), name]);
    counts.textContent = texts.filter(([number]) => number).map(([number, name]) => `${number} ${name}${name === "warning" && number > 1 ? "s" : ""}`).join(", ");
  }
  const [uneven, idle, lag, groups, unplanned] = [0, 1, 2, 3, 4].map((at) => {
    const known = chosen.map((one) => data.clusters[one]?.[at]).filter((one) => one != null);
    return known.length ? known.reduce((a, b) => a + b, 0) : null;
  });
  for (const [one, was, of] of numbers) {
    const sum = { uneven, idle, lag }[one.dataset.number];
    one.textContent = !chosen.length ? was : sum === null ? "unknown" : short(sum);
    one.nextElementSibling.textContent = chosen.length && of ? ` of ${figure(groups - unplanned)}` : of;
  }
};

const table = $("#table");
let drawTable = () => {};
if (table) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const FIRST = Number(table.dataset.open);
  const search = $("#search"), matches = $("#matches");
  const more = make("button", { type: "button", className: "all" });
  const kindsOf = (row) => data.rows[row.id].kinds;
  const pickers = { finding: [$("#kind"), kindsOf], team: [$("#team"), (row) => [data.rows[row.id].team]] };
  for (const name of Object.keys(pickers)) if (!pickers[name][0]) delete pickers[name];
  const namesOf = ({ id }) => [
    ...data.rows[id].found.map((at) => data.names[at]),
    ...data.rows[id].members.map(([member]) => data.rows[id].prefix + member),
  ];
  const lines = new Map(rows.map((row) => [row, [$("a", row).textContent, $("small", row).textContent, ...namesOf(row)].join("\n")]));
  // as options do: * and ? fit a whole name, other text any part of one; of members' ids the first eight digits count
  const pattern = (text) => {
    const plain = text.replace(/-([0-9a-f]{8})(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, "-$1").replace(/[.+^${}()|[\]\\]/g, "\\$&");
    const isWhole = /[*?]/.test(text);
    const wanted = isWhole ? `^${plain.replace(/\*/g, ".*").replace(/\?/g, ".")}$` : plain;
    return (row) => new RegExp(wanted, "im").test(lines.get(row));
  };

  // numbers begin with the largest; what isn't known comes last in both directions
  const value = (row, at) => {
    if (heads[at].dataset.key === "group") return $("a", row).textContent.toLowerCase();
    const text = (row.cells[at].dataset.v ?? row.cells[at].textContent).trim();
    if (text === "" || text === "–") return null;
    const number = Number(text.replaceAll(",", ""));
    return Number.isNaN(number) ? text.toLowerCase() : number;
  };
  const heads = [...table.tHead.rows[0].cells];
  const cellOf = (row, key) => row.cells[heads.findIndex((head) => head.dataset.key === key)];
  for (const row of rows) cellOf(row, "findings").title = kindsOf(row).join(", ");
  for (const head of heads) {
    const button = make("button", { type: "button" }, ...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const { key } = head.dataset, isText = key === "group" || key === "assignor";
      const down = head.ariaSort ? head.ariaSort === "ascending" : !isText;
      go({ sort: down ? `-${key}` : key });
    });
  }
  const sorted = () => {
    const sort = address.get("sort") ?? "", isDown = sort.startsWith("-");
    const at = heads.findIndex((head) => head.dataset.key === sort.replace("-", ""));
    for (const head of heads) head.removeAttribute("aria-sort");
    if (at < 0) return rows;
    heads[at].ariaSort = isDown ? "descending" : "ascending";
    const values = new Map(rows.map((row) => [row, value(row, at)]));
    return [...rows].sort((one, other) => {
      const a = values.get(one), b = values.get(other);
      if (a === null || b === null) return (a === null) - (b === null);
      return (a < b ? -1 : a > b ? 1 : 0) * (isDown ? -1 : 1);
    });
  };

  // members' loads: a dot now, a dot planned, and a line between them
  const loads = (members) => {
    const most = Math.max(1, ...members.flatMap((one) => [one[1], one[2]]));
    const at = (load) => `${(100 * load) / most}%`;
    const grid = make("div", { className: "loads" });
    for (const [member, now, planned] of members) {
      const line = make("b"), from = make("i", { className: "now" }), to = make("i", { className: "planned" });
      line.style.setProperty("--x", at(Math.min(now, planned)));
      line.style.setProperty("--w", at(Math.abs(now - planned)));
      from.style.setProperty("--x", at(now));
      to.style.setProperty("--x", at(planned));
      grid.append(make("span", { textContent: member }), make("span", { className: "track" }, line, from, to),
        make("span", { textContent: now === planned ? `${now}` : `${now} → ${planned}` }));
    }
    return grid;
  };

  const opened = (row) => {
    const cell = make("td", { colSpan: row.cells.length });
    const { counts, advice, prefix, members: drawn } = data.rows[row.id];
    const [members, partitions, takeovers] = counts;
    const count = (number, noun) => `${figure(number)} ${noun}${number === 1 ? "" : "s"}`;
    const textOf = (key) => cellOf(row, key).textContent.trim();
    const numbers = [count(members, "member"), count(partitions, "partition"), `largest load ${textOf("load")}`];
    numbers.push(`moves ${textOf("moves")}`, count(takeovers, "takeover"), `lag ${textOf("lag")}`);
    cell.append(make("h3", { textContent: numbers.join(", ") }));
    const findings = all(`#findings li a[href="#${row.id}"]`).map((one) => one.closest("li"));
    const texts = findings.map((one) => $(".vh", one).textContent + $(".what", one).textContent);
    const rest = kindsOf(row).filter((name) => !findings.some((one) => one.closest(".kind").id === `f-${name}`));
    if (rest.length) texts.push(`${findings.length ? "also" : "findings"}: ${rest.join(", ")}`);
    if (texts.length) cell.append(make("ul", {}, ...texts.map((textContent) => make("li", { textContent }))));
    if (advice) cell.append(make("p", { textContent: advice.replaceAll("`", "") }));
    if (drawn.length) {
      const notes = prefix ? [`ids begin with ${prefix}`] : [];
      if (members > drawn.length) notes.push(`the ${drawn.length} that change most`);
      cell.append(make("h3", { textContent: `Partitions per member${notes.length ? ` (${notes.join("; ")})` : ""}` }), loads(drawn));
    }
    const more = make("template", { innerHTML: data.details[row.id] ?? "" }).content.firstElementChild;
    if (more) cell.append(...[...more.children].slice(1));
    return make("tr", { className: "opened" }, cell);
  };
  const open = new Map();
  let order;
  drawTable = () => {
    search.value = address.get("q") ?? "";
    for (const [name, [select]] of Object.entries(pickers)) select.value = address.get(name) ?? "";
    const picked = Object.values(pickers).filter(([select]) => select.value);
    const fits = pattern(search.value.trim());
    const only = rows.find((row) => row.id === address.get("only"));
    let shown = 0;
    for (const row of rows) {
      const isOpen = row === only || address.getAll("row").includes(row.id);
      if (isOpen && !open.has(row)) row.after(open.set(row, opened(row)).get(row));
      if (!isOpen) open.get(row)?.remove(), open.delete(row);
      $("a", row).ariaExpanded = isOpen;
    }
    if (order !== (order = address.get("sort"))) body.append(...sorted().flatMap((row) => (open.has(row) ? [row, open.get(row)] : [row])));
    for (const row of body.rows) {
      if (row.className === "opened") continue;
      const isShown = only ? row === only : isChosen(row) && picked.every(([select, of]) => of(row).includes(select.value)) && fits(row);
      row.hidden = !isShown;
      row.classList.toggle("over", shown >= FIRST && !open.has(row));
      if (open.has(row)) open.get(row).hidden = !isShown;
      shown += isShown;
    }
    table.classList.toggle("expanded", address.has("all"));
    const isFiltered = shown < rows.length;
    matches.textContent = isFiltered ? `${figure(shown)} of ${figure(rows.length)} groups` : "";
    more.hidden = !only && (shown <= FIRST || address.has("all"));
    more.textContent = only ? "Show the other groups" : `Show all ${figure(shown)} groups`;
  };
  $(".tools").hidden = false;
  search.addEventListener("input", () => go({ q: search.value, only: "" }, true));
  for (const [name, [select]] of Object.entries(pickers)) select.addEventListener("change", () => go({ [name]: select.value, only: "" }));
  more.addEventListener("click", () => go(address.has("only") ? { only: "" } : { all: "1" }));
  table.parentNode.after(more);
  for (const row of rows) {
    const link = $("a", row);
    link.role = "button";
    link.addEventListener("keydown", (event) => {
      if (event.key === " ") (event.preventDefault(), link.click());
    });
    row.addEventListener("click", (event) => {
      if (!getSelection().isCollapsed) return;
      event.preventDefault();
      go(address.get("only") === row.id ? { only: "" } : { row: toggled("row", row.id) });
    });
  }
}

// a link on the page keeps what the address says; one to a group shows it alone
const draw = () => (drawClusters(), drawTable());
const jump = (id = address.get("at") || address.get("only") || address.get("row")) => {
  const target = id && document.getElementById(id);
  if (!target) return;
  for (let fold = target.closest("details"); fold; fold = fold.parentNode.closest("details")) fold.open = true;
  target.scrollIntoView();
  const focus = target.matches("tr") ? $("a", target) : Object.assign(target, { tabIndex: -1 });
  focus.focus({ preventScroll: true });
};
document.addEventListener("click", (event) => {
  const id = event.target.closest("a[href^='#']")?.hash.slice(1);
  if (!id || event.defaultPrevented) return;
  event.preventDefault();
  go(id.startsWith("g-") ? { only: id, at: "" } : { at: id });
  jump(id);
});
addEventListener("hashchange", () => {
  read();
  draw();
  if (history.state !== "drawn") jump();
});
read();
draw();
jump();

// one line over all charts of the trend, and the values at that time
const trend = $("#trend-lines"), plot = $(".plot svg");
if (trend && plot) {
  const hair = make("span", { className: "hair", hidden: true });
  trend.append(hair);
  const { instants, shares, values } = data.trend, figures = all(".trend b");
  const last = figures.map((one) => one.textContent);
  let at = instants.length - 1;
  const point = (to) => {
    at = Math.min(instants.length - 1, Math.max(0, to));
    const box = plot.getBoundingClientRect();
    hair.hidden = false;
    hair.style.left = `${box.left - trend.getBoundingClientRect().left + box.width * shares[at]}px`;
    $("#at").textContent = instants[at];
    figures.forEach((one, line) => (one.textContent = values[line][at] == null ? "–" : figure(values[line][at])));
  };
  const leave = () => {
    hair.hidden = true;
    $("#at").textContent = "";
    figures.forEach((one, line) => (one.textContent = last[line]));
  };
  trend.addEventListener("pointermove", (event) => {
    const box = plot.getBoundingClientRect(), share = (event.clientX - box.left) / box.width;
    const near = shares.map((one) => Math.abs(one - share));
    point(near.indexOf(Math.min(...near)));
  });
  trend.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) (event.preventDefault(), point(at + step));
  });
  trend.addEventListener("pointerleave", leave);
  trend.addEventListener("blur", leave);
}
