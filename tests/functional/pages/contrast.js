// Texts with a contrast below 4.5:1 (WCAG 2.2, 1.4.3) on what is behind them, one line each.
(() => {
  const channels = text => text.match(/[\d.]+/g).map(Number);
  const light = text => {
    const [r, g, b] = channels(text).map(each => each / 255)
      .map(each => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (one, other) => {
    const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const opaque = text => text !== "none" && !(channels(text).length === 4 && channels(text)[3] === 0);
  const ground = each => {
    for (let at = each; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (opaque(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const found = new Set(), seen = new Map();
  const check = (text, front, back) => {
    const key = `${front} on ${back}`;
    if (!seen.has(key)) seen.set(key, ratio(front, back));
    if (seen.get(key) < 4.5) found.add(`${seen.get(key).toFixed(2)}: ${key}: ${text.trim().slice(0, 40)}`);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode());) {
    const each = node.parentElement;
    if (node.data.trim() && each.checkVisibility() && !each.closest("svg")) check(node.data, getComputedStyle(each).color, ground(each));
  }
  for (const svg of [...document.querySelectorAll("svg")].filter(each => each.checkVisibility())) {
    const shapes = [...svg.querySelectorAll("rect")].filter(each => opaque(getComputedStyle(each).fill))
      .map(each => [each.getBoundingClientRect(), getComputedStyle(each).fill]);
    for (const text of svg.querySelectorAll("text")) {
      const box = text.getBoundingClientRect(), x = (box.left + box.right) / 2, y = (box.top + box.bottom) / 2;
      const behind = shapes.filter(([at]) => at.left <= x && x <= at.right && at.top <= y && y <= at.bottom);
      check(text.textContent, getComputedStyle(text).fill, behind.length ? behind.at(-1)[1] : ground(svg));
    }
  }
  return [...found];
})()
