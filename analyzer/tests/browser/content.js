// What a page draws, a line for each kind of thing that follows another: names, colors and shapes, without what fonts decide.
(() => {
  const lines = [];
  const say = (depth, line) => lines.push('  '.repeat(depth) + line);
  const hex = (color) => {
    const parts = color.match(/[\d.]+/g) ?? [];
    if (parts.length === 4 && Number(parts[3]) === 0) return 'none';
    const opacity = Number(parts[3] ?? 1) < 1 ? ' ' + parts[3] : '';
    return '#' + parts.slice(0, 3).map((part) => Math.round(Number(part)).toString(16).padStart(2, '0')).join('') + opacity;
  };
  const title = (element) =>
    element.tagName.toLowerCase() + (element.id ? '#' + element.id : '') + [...element.classList].map((name) => '.' + name).join('');
  // Numbers of each kind of shape, without letters: a name is left out where its font is too wide.
  const shapes = (svg) => {
    const counts = new Map();
    for (const shape of svg.querySelectorAll('rect, path, line, circle, polyline, polygon')) {
      const style = getComputedStyle(shape);
      const kind = `${shape.tagName} fill ${hex(style.fill)} stroke ${hex(style.stroke)}`;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    return [...counts].sort().map(([kind, count]) => `${count} ${kind}`);
  };
  // Colors that fill a twentieth of a canvas: letters do not.
  const colors = (canvas) => {
    if (canvas.width === 0 || canvas.height === 0) return ['empty'];
    // The browser complains of a canvas that is read often and was not made for it.
    const context = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    const counts = new Map();
    for (let at = 0; at < data.length; at += 4) {
      const color = `rgba(${data[at]}, ${data[at + 1]}, ${data[at + 2]}, ${data[at + 3] / 255})`;
      counts.set(color, (counts.get(color) ?? 0) + 1);
    }
    const large = [...counts].filter(([, count]) => count * 20 * 4 > data.length).map(([color]) => hex(color));
    return large.sort();
  };
  const ownText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
  const walk = (element, depth) => {
    if (!element.checkVisibility() || ['SCRIPT', 'STYLE'].includes(element.tagName)) return;
    const style = getComputedStyle(element);
    const name = title(element);
    if (element instanceof SVGSVGElement) {
      say(depth, name);
      for (const shape of shapes(element)) say(depth + 1, shape);
      return;
    }
    if (element.tagName === 'CANVAS') {
      say(depth, `${name} ${colors(element).join(' ')}`);
      return;
    }
    let inner = depth;
    const has = [];
    if (ownText(element)) has.push(`text ${hex(style.color)} ${style.fontWeight}`);
    if (hex(style.backgroundColor) !== 'none') has.push(`on ${hex(style.backgroundColor)}`);
    if (parseFloat(style.borderTopWidth) > 0 && style.borderTopStyle !== 'none') has.push(`border ${hex(style.borderTopColor)}`);
    if (['flex', 'grid'].includes(style.display)) has.push(style.display);
    if (style.position !== 'static') has.push(style.position);
    const isHeading = /^H[1-6]$/.test(element.tagName);
    if (element.id || isHeading || has.length > 0) {
      say(depth, [name, ...has, ...(isHeading ? [JSON.stringify(element.textContent.trim())] : [])].join(', '));
      inner = depth + 1;
    }
    for (const child of element.children) walk(child, inner);
  };
  walk(document.body, 0);
  // Rows of a table are alike: blocks of lines that repeat are said once, with their number.
  const folded = [];
  for (let at = 0; at < lines.length; ) {
    let best = [1, 1];
    for (let length = 1; length <= 40 && at + 2 * length <= lines.length; length++) {
      let times = 1;
      const alike = (n) => lines.slice(at, at + length).every((line, i) => line === lines[at + n * length + i]);
      while (at + (times + 1) * length <= lines.length && alike(times)) times++;
      if (times > 1 && times * length > best[0] * best[1]) best = [length, times];
    }
    const [length, times] = best;
    if (times > 1) folded.push(`${times} times:`);
    folded.push(...lines.slice(at, at + length).map((line) => (times > 1 ? '| ' : '') + line));
    at += length * times;
  }
  return folded.join('\n') + '\n';
})()
