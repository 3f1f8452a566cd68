// What a screen reader, a keyboard or weak eyes would miss on a page, one line each.
(() => {
  const found = [], all = selector => [...document.querySelectorAll(selector)];
  const one = selector => { if (all(selector).length !== 1) found.push(`${all(selector).length} ${selector}`); };
  ["h1", "main", "header", "nav[aria-label]", "footer", "head > title", "html[lang]"].forEach(one);
  let level = 0;
  for (const each of all("h1, h2, h3, h4, h5, h6")) {
    if (+each.tagName[1] > level + 1) found.push(`heading after level ${level}: ${each.textContent}`);
    level = +each.tagName[1];
  }
  const ids = all("[id]").map(each => each.id);
  ids.filter((id, at) => ids.indexOf(id) !== at).forEach(id => found.push(`id twice: ${id}`));
  for (const each of all("a")) {
    const to = each.getAttribute("href");
    if (!each.textContent.trim()) found.push(`link without a text: ${to}`);
    if (to.startsWith("#") && !document.getElementById(to.slice(1))) found.push(`link to nowhere: ${to}`);
  }
  for (const each of all("[aria-labelledby]"))
    if (!document.getElementById(each.getAttribute("aria-labelledby"))) found.push(`no label: ${each.outerHTML}`);
  all("svg:not([role=img][aria-label]), [tabindex='0']:not([aria-label]), section:not([aria-labelledby])")
    .forEach(each => found.push(`no name: ${each.tagName}`));
  all("details > :first-child:not(summary), th:not([scope])").forEach(each => found.push(`${each.outerHTML}`));
  all("summary").filter(each => !each.textContent.trim()).forEach(() => found.push("an empty summary"));
  all("pre").filter(each => each.tabIndex < 0 && each.scrollWidth > each.clientWidth)
    .forEach(() => found.push("a text that the keyboard cannot scroll"));
  return found;
})()
