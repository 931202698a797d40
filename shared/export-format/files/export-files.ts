import type { ExportRow } from '../export-row.ts';

/** Where the bytes of files go. A file is made by its first bytes. */
export interface ExportSink {
  append(file: string, bytes: Uint8Array): void;
  /** Nothing is appended to the file any more. */
  end(file: string, table: EndedPart): void;
}

/** What a file has that has ended. */
export interface EndedPart {
  /** The id of its collections; undefined if it has the documents of all. */
  readonly collectionId: string | undefined;
  readonly documents: number;
}

/** Takes documents in name order and writes them into files. */
export interface ExportFiles {
  /** `bytes`: the size of the document in the backup. */
  add(row: ExportRow, bytes: number): void;
  /** Ends the largest file, so that its bytes can leave memory. The next document of its table begins another one. */
  endLargest(): void;
  finish(): void;
}

/** How the files of a format are named and cut. */
export interface FileLayout {
  /** The name of a part of a table, counted from 1; a table is undefined if a file has the documents of all. */
  readonly nameOf: (collectionId: string | undefined, part: number) => string;
  /** A file becomes so large, and then the next one begins. */
  readonly bytesMax: number;
}

/** The parts of one table: one ends, and then the next one begins with its first bytes. */
export class TableParts {
  readonly collectionId: string | undefined;
  /** The number of the current part, or of the last one. */
  number = 0;
  /** Of the current part. */
  bytes = 0;
  isOpen = false;
  readonly #sink: ExportSink;
  readonly #layout: FileLayout;
  #documents = 0;

  constructor(collectionId: string | undefined, { sink, layout }: { readonly sink: ExportSink; readonly layout: FileLayout }) {
    this.collectionId = collectionId;
    this.#sink = sink;
    this.#layout = layout;
  }

  get isFull(): boolean {
    return this.bytes >= this.#layout.bytesMax;
  }

  append(bytes: Uint8Array, documents: number): void {
    if (!this.isOpen) this.number += 1;
    this.isOpen = true;
    this.#sink.append(this.#name, bytes);
    this.bytes += bytes.length;
    this.#documents += documents;
  }

  end(): void {
    if (!this.isOpen) return;
    this.#sink.end(this.#name, { collectionId: this.collectionId, documents: this.#documents });
    this.isOpen = false;
    this.bytes = 0;
    this.#documents = 0;
  }

  get #name(): string {
    return this.#layout.nameOf(this.collectionId, this.number);
  }
}

/** The largest of the parts that are open; undefined if there is none. */
export const largestOf = <T extends { readonly parts: Pick<TableParts, 'isOpen' | 'bytes'> }>(
  tables: Iterable<T>,
): T | undefined => {
  let largest: T | undefined;
  for (const table of tables) if (table.parts.isOpen && (!largest || table.parts.bytes > largest.parts.bytes)) largest = table;
  return largest;
};
