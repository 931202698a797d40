import type { BaseDocuments, PathKey, ScanOptions, StoredDocument } from '../local/engines/firestore/index.ts';

/** The encoded document that clients are shown in place of a stored one. */
export type DocumentForm = (document: Uint8Array, path: string) => Uint8Array;

/** Documents that clients are shown in another form: masked, or in a database of another name. */
export class ShownDocuments implements BaseDocuments {
  readonly #documents: BaseDocuments;
  readonly #form: DocumentForm;

  constructor(documents: BaseDocuments, form: DocumentForm) {
    this.#documents = documents;
    this.#form = form;
  }

  async get(key: PathKey): Promise<StoredDocument | undefined> {
    const document = await this.#documents.get(key);
    return document && new ShownDocument(document, this.#form);
  }

  async *scan(from: PathKey, to: PathKey, options: ScanOptions): AsyncGenerator<readonly StoredDocument[], void, undefined> {
    for await (const batch of this.#documents.scan(from, to, options))
      yield batch.map((document) => new ShownDocument(document, this.#form));
  }
}

/** Converted when its contents are needed. */
class ShownDocument implements StoredDocument {
  readonly key: PathKey;
  readonly path: string;
  readonly createTime: number;
  readonly updateTime: number;
  #stored: StoredDocument | undefined;
  readonly #form: DocumentForm;
  #bytes: Uint8Array | undefined;

  constructor(stored: StoredDocument, form: DocumentForm) {
    this.key = stored.key;
    this.path = stored.path;
    this.createTime = stored.createTime;
    this.updateTime = stored.updateTime;
    this.#stored = stored;
    this.#form = form;
  }

  get bytes(): Uint8Array {
    this.#bytes ??= this.#form(this.#stored?.bytes ?? new Uint8Array(), this.path);
    this.#stored = undefined;
    return this.#bytes;
  }
}
