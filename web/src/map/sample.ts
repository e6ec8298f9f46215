/** Which rows the points of the map are: all of them, or some where there are very many. */

export class Sample {
  /** `rows` are increasing; null stands for all. */
  constructor(private readonly rows: Uint32Array | null) {}

  get isWhole(): boolean {
    return this.rows === null;
  }

  row(point: number): number {
    return this.rows === null ? point : this.rows[point];
  }

  /** The point of a row, or null if the map does not show it. */
  point(row: number): number | null {
    if (this.rows === null) return row;
    let low = 0;
    let high = this.rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.rows[middle] < row) low = middle + 1;
      else high = middle;
    }
    return this.rows[low] === row ? low : null;
  }

  points(rows: Uint32Array): Uint32Array {
    if (this.rows === null) return rows;
    return Uint32Array.from(Array.from(rows, (row) => this.point(row)).filter((point) => point !== null));
  }

  rowsOf(points: Uint32Array): Uint32Array {
    return this.rows === null ? points : points.map((point) => this.rows![point]);
  }

  /** Values of the points, of those of all rows; values of points alone are taken as they are. */
  of<Values extends Uint8Array | Uint16Array>(values: Values): Values {
    const { rows } = this;
    if (rows === null || values.length === rows.length) return values;
    const found = values.slice(0, rows.length) as Values;
    for (let point = 0; point < rows.length; point++) found[point] = values[rows[point]];
    return found;
  }
}
