import { createHash } from 'node:crypto';
import type { ObjectStore } from '../../destination/index.ts';
import type { EndedPart, ExportSink } from '../../export-format/index.ts';
import { throwAsUploadError } from '../../job/index.ts';
import { mapConcurrent } from '../../platform/index.ts';
import { LazyUpload } from '../../stored-backup/index.ts';
import type { AgeSealer } from '../encrypt/age-sealer.ts';
import type { ExportedFile } from '../model/record.ts';

/** Of encrypted files. */
export const sealedExtension = '.age';

/** Smaller files are stored by one request. */
export const singleMaxBytes = 8 << 20;
const uploadsAtOnce = 4;

interface WaitingFile {
  readonly name: string;
  readonly part: EndedPart;
  readonly bytes: ChunkList;
}

/** Files of an export on their way into a bucket. Memory has those that have not ended, and those that wait for `drain`. */
export class ObjectSink implements ExportSink {
  /** What is stored, in the order in which the files have ended. */
  readonly files: ExportedFile[] = [];
  readonly #store: ObjectStore;
  readonly #sealer: AgeSealer | undefined;
  readonly #open = new Map<string, ChunkList>();
  #ended: WaitingFile[] = [];
  #bytes = 0;

  /** With a sealer all files are encrypted. */
  constructor(store: ObjectStore, sealer?: AgeSealer) {
    this.#store = store;
    this.#sealer = sealer;
  }

  /** In memory. */
  get bytes(): number {
    return this.#bytes;
  }

  get hasEnded(): boolean {
    return this.#ended.length > 0;
  }

  append(file: string, bytes: Uint8Array): void {
    let chunks = this.#open.get(file);
    if (!chunks) {
      chunks = new ChunkList();
      this.#open.set(file, chunks);
    }
    chunks.append(bytes);
    this.#bytes += bytes.length;
  }

  end(file: string, part: EndedPart): void {
    const bytes = this.#open.get(file);
    if (!bytes) throw new Error('the file has no bytes');
    this.#open.delete(file);
    this.#ended.push({ name: file, part, bytes });
  }

  /** Stores all files that have ended. `check` throws if the export has ended meanwhile. */
  async drain(check: () => void): Promise<void> {
    const ended = this.#ended;
    this.#ended = [];
    const stored = await mapConcurrent(ended, uploadsAtOnce, async (file) => {
      check();
      return this.#put(file);
    });
    this.files.push(...stored);
  }

  async #put({ name: plainName, part, bytes: plain }: WaitingFile): Promise<ExportedFile> {
    const { size } = plain;
    const bytes = this.#sealer ? sealedList(this.#sealer, plainName, plain) : plain;
    const name = this.#sealer ? plainName + sealedExtension : plainName;
    const hash = createHash('sha256');
    for (const chunk of bytes.chunks) hash.update(chunk);
    if (bytes.size <= singleMaxBytes) await this.#store.put(name, Buffer.concat(bytes.chunks)).catch(throwAsUploadError);
    else await this.#upload(name, bytes).catch(throwAsUploadError);
    this.#bytes -= size;
    const { collectionId = null, documents } = part;
    const plainBytes = this.#sealer && size;
    return {
      name,
      collection: collectionId,
      documents,
      bytes: bytes.size,
      ...(plainBytes !== undefined && { plainBytes }),
      sha256: hash.digest('hex'),
    };
  }

  async #upload(name: string, { chunks, size }: ChunkList): Promise<void> {
    const upload = new LazyUpload(this.#store, name, {});
    try {
      await upload.finish(chunks, size);
    } catch (error) {
      await upload.abort();
      throw error;
    }
  }
}

const sealedList = (sealer: AgeSealer, name: string, plain: ChunkList): ChunkList => {
  const sealed = new ChunkList();
  const hash = createHash('sha256');
  for (const chunk of plain.chunks) hash.update(chunk);
  for (const bytes of sealer.seal(name, { digest: hash.digest(), pieces: plain.take() })) sealed.append(bytes);
  return sealed;
};

const chunkMinBytes = 4 << 10;
const chunkMaxBytes = 1 << 20;

/** The bytes of a file in chunks that grow with it, so that many small files need little memory. */
class ChunkList {
  size = 0;
  readonly #full: Buffer[] = [];
  #last = Buffer.alloc(0);
  #used = 0;

  get chunks(): readonly Buffer[] {
    return [...this.#full, this.#last.subarray(0, this.#used)];
  }

  /** Each chunk is forgotten once the next one is taken, so that its successor in another list takes its place. */
  *take(): Generator<Buffer> {
    const last = this.#last.subarray(0, this.#used);
    for (let chunk = this.#full.shift(); chunk; chunk = this.#full.shift()) yield chunk;
    yield last;
  }

  append(bytes: Uint8Array): void {
    let rest = bytes;
    while (rest.length > 0) {
      if (this.#used === this.#last.length) this.#grow();
      const taken = rest.subarray(0, this.#last.length - this.#used);
      this.#last.set(taken, this.#used);
      this.#used += taken.length;
      rest = rest.subarray(taken.length);
    }
    this.size += bytes.length;
  }

  #grow(): void {
    if (this.#used > 0) this.#full.push(this.#last);
    this.#last = Buffer.allocUnsafeSlow(Math.min(chunkMaxBytes, Math.max(chunkMinBytes, this.#last.length * 2)));
    this.#used = 0;
  }
}
