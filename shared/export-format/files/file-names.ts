import { createHash } from 'node:crypto';

/** What file systems allow is 255; a part has more characters around it. */
const nameMax = 120;

/** The id of a collection as the name of a file: other characters are percent-encoded, and capitals keep ids apart where case does not. */
export class FileNames {
  readonly #ofId = new Map<string, string>();
  readonly #taken = new Set<string>();

  /** Names depend on the order in which ids are first named: those of `ids` come first. */
  constructor(ids: Iterable<string> = []) {
    for (const id of ids) this.of(id);
  }

  of(id: string): string {
    const known = this.#ofId.get(id);
    if (known !== undefined) return known;
    const encoded = encodeURIComponent(id).replace(/[!'()*~]|^\./g, percent);
    const plain = encoded.length > nameMax ? `${encoded.slice(0, nameMax)}~${digestOf(id)}` : encoded;
    const name = this.#taken.has(plain.toLowerCase()) ? `${plain}~${digestOf(id)}` : plain;
    this.#ofId.set(id, name);
    this.#taken.add(name.toLowerCase());
    return name;
  }
}

const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
const digestOf = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 12);
