// @ts-check
// Paints a row column by column: a column's pixels are divided as its time is. What is rounded off in one column is added in the next,
// so a class that takes a tenth of a pixel's height has that pixel in every tenth column.

/** @typedef {{y: number, height: number, first: number, count: number}} Line rows drawn as one, and where */
/** @typedef {{classes: string[], written: string[], packed: Uint32Array, ink: string, packedInk: number, ground: string, gray: string, accent: string}} Colors */

/** Pixels of a row's height for its time, and for its waits below. @param {number} height */
export function parts(height) {
  const lane = height >= 5 ? Math.max(1, Math.round(height * 0.2)) : 0;
  return { lane, room: Math.max(1, height - lane - (height >= 6 ? 1 : 0)) };
}

/** Divides a length among shares, and keeps what rounding leaves of each border. */
class Borders {
  /** @param {number} length @param {number} count */
  constructor(length, count) {
    this.length = length;
    this.left = new Float64Array(count);
  }

  /** The pixel at which a border lies that has this share before it. @param {number} number @param {number} share @param {number} least */
  place(number, share, least) {
    // A border at an end is exact.
    if (share >= 1 - 1e-9) return this.length;
    const exact = this.length * share + this.left[number];
    const place = Math.min(this.length, Math.max(least, Math.round(exact)));
    this.left[number] = Math.max(-1, Math.min(1, exact - place));
    return place;
  }
}

/** One line of a picture. */
export class LinePainter {
  /** @param {ImageData} image @param {{y: number, room: number, lane: number, laneY: number}} where @param {Uint32Array} colors @param {number} ink */
  constructor(image, where, colors, ink) {
    this.pixels = new Uint32Array(image.data.buffer);
    [this.width, this.height] = [image.width, image.height];
    this.where = where;
    this.colors = colors;
    this.ink = ink;
    this.borders = new Borders(where.room, colors.length);
    this.waits = new Borders(where.lane, 1);
  }

  /** Of a column: the time that each color has, all of it, and the share of it that was waited.
   * @param {number} x @param {Float64Array} times @param {number} all @param {number} waited */
  column(x, times, all, waited) {
    const { y, lane, laneY } = this.where;
    let [before, from] = [0, 0];
    for (let color = 0; color < this.colors.length; color++) {
      if (!(times[color] > 0)) continue;
      before += times[color];
      const end = this.borders.place(color, before / all, from);
      this.fill(x, y + from, y + end, this.colors[color]);
      from = end;
    }
    if (lane > 0 && waited > 0) this.fill(x, laneY, laneY + this.waits.place(0, Math.min(waited, 1), 0), this.ink);
  }

  /** @param {number} x @param {number} from @param {number} to @param {number} color */
  fill(x, from, to, color) {
    for (let y = Math.max(0, from); y < Math.min(to, this.height); y++) this.pixels[y * this.width + x] = color;
  }
}
