const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const words = (
  'amber river stone cloud Grüße light north harbor 東京 silver garden window café market paper bridge winter signal ' +
  'forest naïve copper ocean valley lamp 🚀 orange engine planet thread mirror summit anchor velvet radio canyon'
).split(' ');

/** Seeded pseudo-random numbers. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In 0 ≤ x < 1. */
  fraction(): number {
    // mulberry32
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** An integer in 0 ≤ x < limit. */
  below(limit: number): number {
    return Math.floor(this.fraction() * limit);
  }

  word(): string {
    return words[this.below(words.length)] ?? '';
  }

  text(count: number): string {
    return Array.from({ length: count }, () => this.word()).join(' ');
  }

  id(length: number): string {
    let id = '';
    for (let i = 0; i < length; i++) id += letters[this.below(letters.length)];
    return id;
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.below(256));
  }
}
