import { limits } from './limits.ts';
import { pathKey } from './path-key.ts';
import { type PathKey, RpcError } from './types.ts';

export interface DatabaseName {
  readonly projectId: string;
  readonly databaseId: string;
}

/** A document, or the database's root if the path is empty. */
export interface DocumentName extends DatabaseName {
  /** Relative to the database's documents. */
  readonly path: string;
  readonly key: PathKey;
}

/** `projects/p/databases/d` */
export const databaseName = (name: DatabaseName): string => `projects/${name.projectId}/databases/${name.databaseId}`;

/** Throws if a name belongs to another database than the request; both as `projects/p/databases/d`. */
export const checkSameDatabase = (requested: string, named: string): void => {
  if (named === requested) return;
  throw invalid(`The request was for database '${requested}' but was attempting to access database '${named}'`);
};

/** The full name of a path; an empty path is the root. */
export const documentName = (database: DatabaseName, path: string): string =>
  path === '' ? `${databaseName(database)}/documents` : `${databaseName(database)}/documents/${path}`;

/** Parses `projects/p/databases/d`. */
export const parseDatabaseName = (name: string): DatabaseName => {
  const cursor = new Cursor('Database name', name);
  const database = cursor.database();
  if (!cursor.ended) throw cursor.rest() === '/' ? cursor.trailing() : cursor.problem('has extra characters');
  return database;
};

/** Parses the name of a document. */
export const parseDocumentName = (name: string): DocumentName => parsePlace('Document name', name);

/** Parses the name of a document, or of the root `…/documents`, which has an empty path. */
export const parseParent = (name: string): DocumentName => parsePlace('Document parent name', name);

/** Throws for an invalid collection id. */
export const checkCollectionId = (id: string): void => {
  if (id.includes('/')) throw invalid(`Collection id "${id}" is invalid because it contains "/".`);
  if (id === '.' || id === '..' || isReserved(id)) throw invalid(`Collection id "${id}" is invalid because it is reserved.`);
  checkLength(id, 'kind');
};

/** Throws for an invalid document id. Numeric ids such as `__id7__` come from Datastore. */
export const checkDocumentId = (id: string): void => {
  if (id.includes('/')) throw invalid(`Resource id "${id}" is invalid because it contains "/".`);
  if (id === '.' || id === '..') throw invalid(`Resource id "${id}" is invalid because it is reserved.`);
  if (isReserved(id)) checkNumericId(id);
  checkLength(id, 'name');
};

/**
 * Whether a path is certainly that of a document: an even number of short plain segments, none reserved, not too deep. Fast path for loads;
 * `parseDocumentName` handles all other paths and reports errors.
 */
export const isPlainPath = (path: string): boolean => {
  let segments = 1;
  let start = 0;
  for (let i = 0; i < path.length; i++) {
    const code = path.charCodeAt(i);
    if (code === slash) {
      if (i === start) return false;
      segments++;
      start = i + 1;
    } else if (code > 0x7f || (i === start && (code === dot || code === underscore))) return false;
  }
  return segments % 2 === 0 && segments <= 2 * depthMax && start < path.length && path.length <= idBytesMax;
};

const slash = 0x2f;
const dot = 0x2e;
const underscore = 0x5f;
const idBytesMax = 1500;
const depthMax = limits.subcollectionDepth;

const parsePlace = (what: 'Document name' | 'Document parent name', name: string): DocumentName => {
  const cursor = new Cursor(what, name);
  const database = cursor.database();
  cursor.literal('/');
  cursor.literal('documents');
  let count = 0;
  const start = cursor.at + 1;
  for (; !cursor.ended; count++) {
    cursor.literal('/');
    if (count === 0 && cursor.ended) throw invalid(`${what} "${name}" is invalid: Omit trailing "/".`);
    const at = cursor.at;
    const id = cursor.segment(count % 2 === 0 ? 'collection' : 'resource');
    if (id === '.' || id === '..') throw invalid(`${what} "${name}" contains a resource id "${id}" at index ${at}.`);
    if (count % 2 === 0) checkCollectionId(id);
    else checkDocumentId(id);
  }
  if (count % 2 === 1 || (count === 0 && what === 'Document name')) cursor.literal('/');
  if (count > 2 * depthMax) throw invalid(`The key path has more than ${depthMax} elements.`);
  const path = name.slice(start);
  return { ...database, path, key: pathKey(path) };
};

/** Parses a name and reports the index of an error. */
class Cursor {
  readonly #what: string;
  readonly #name: string;
  at = 0;
  constructor(what: string, name: string) {
    this.#what = what;
    this.#name = name;
  }

  get ended(): boolean {
    return this.at >= this.#name.length;
  }

  rest(): string {
    return this.#name.slice(this.at);
  }

  database(): DatabaseName {
    this.literal('projects');
    this.literal('/');
    const projectId = this.segment('project');
    checkProjectId(projectId);
    this.literal('/');
    this.literal('databases');
    this.literal('/');
    return { projectId, databaseId: this.segment('database') };
  }

  literal(text: string): void {
    if (!this.#name.startsWith(text, this.at)) throw this.problem(`lacks "${text}"`);
    this.at += text.length;
  }

  segment(kind: string): string {
    const end = this.#name.indexOf('/', this.at);
    const segment = this.#name.slice(this.at, end < 0 ? undefined : end);
    if (segment === '') throw this.ended ? this.trailing() : this.problem(`lacks a ${kind} id`);
    this.at += segment.length;
    return segment;
  }

  problem(words: string): RpcError {
    return invalid(`${this.#what} "${this.#name}" ${words} at index ${Buffer.byteLength(this.#name.slice(0, this.at))}.`);
  }

  trailing(): RpcError {
    return this.#name === ''
      ? this.problem('lacks "projects"')
      : invalid(`${this.#what} "${this.#name}" has invalid trailing "/".`);
  }
}

const isReserved = (id: string): boolean => id.length >= 4 && id.startsWith('__') && id.endsWith('__');

const checkNumericId = (id: string): void => {
  if (!id.startsWith('__id')) throw invalid(`Resource id "${id}" is invalid because it is reserved.`);
  const digits = /^__id(-?\d{1,20})__$/.exec(id)?.[1];
  if (digits === undefined || BigInt.asIntN(64, BigInt(digits)) !== BigInt(digits))
    throw invalid(
      `A long document ID string must be formatted like '__id{LONG}__', where LONG is a 64-bit integer. Found: '${id}'.`,
    );
  if (BigInt(digits) === 0n) throw invalid('Document ID of type long must be non-zero');
};

const checkLength = (id: string, element: 'kind' | 'name'): void => {
  if (id.length > idBytesMax / 3 && Buffer.byteLength(id) > idBytesMax)
    throw invalid(`The key path element ${element} is longer than ${idBytesMax} bytes.`);
};

const checkProjectId = (id: string): void => {
  if (!/^[A-Za-z0-9_.:-]{1,100}$/.test(id))
    throw invalid(
      `Project id ${id} is malformed: it either contains invalid characters or is too long. Look at https://cloud.google.com/resource-manager/docs/creating-managing-projects#identifying_projects for instructions in how to get a project's id.`,
    );
};

const invalid = (message: string): RpcError => new RpcError('INVALID_ARGUMENT', message);
