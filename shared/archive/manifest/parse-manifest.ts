import { compareNames } from '../name/compare-names.ts';
import { noncePrefixBytes, saltBytes } from '../object/header.ts';
import type { ObjectEntry } from '../object/object-writer.ts';
import type { PageEntry } from '../page/index-writer.ts';
import { ArchiveError } from '../primitives/archive-error.ts';
import { decodeBase64 } from '../primitives/bytes.ts';
import {
  maxFrames,
  maxManifestCollections,
  maxManifestObjects,
  maxManifestPages,
  maxNameBytes,
} from '../primitives/format-limits.ts';
import { isId, objectId, objectKind } from '../primitives/identity.ts';
import { knownFeatures, type Manifest } from './manifest.ts';

/** Reads what JSON gave; whatever is not exactly a manifest of this format is refused. */
export const parseManifest = (value: unknown): Manifest => {
  const manifest = record(value);
  // Before the rest: a later format may look different everywhere else.
  if (manifest.formatVersion !== 2)
    throw new ArchiveError('unsupported-version', 'the manifest has another format version than 2');
  const features = list(manifest.requiredFeatures, text);
  const unknown = features.filter((feature) => !knownFeatures.includes(feature));
  if (unknown.length > 0) throw new ArchiveError('unknown-feature', `the archive requires ${unknown.join(', ').slice(0, 200)}`);
  const { documents, tombstones, users } = record(manifest.counts);
  const checked: Manifest = {
    formatVersion: 2,
    requiredFeatures: features,
    organization: id(manifest.organization),
    project: id(manifest.project),
    backup: id(manifest.backup),
    parent: manifest.parent === null ? null : id(manifest.parent),
    source: text(manifest.source),
    readTime: matching(manifest.readTime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/),
    counts: { documents: whole(documents), tombstones: whole(tombstones), users: whole(users) },
    collections: list(manifest.collections, collectionEntry, maxManifestCollections),
    objects: list(manifest.objects, objectEntry, maxManifestObjects),
    pages: list(manifest.pages, pageEntry, maxManifestPages),
    notes: record(manifest.notes) as Manifest['notes'],
  };
  checkObjects(checked);
  checkPages(checked);
  return checked;
};

const collectionEntry = (value: unknown): Manifest['collections'][number] => {
  const { id: collection, documents } = record(value);
  return { id: text(collection), documents: whole(documents) };
};

const objectEntry = (value: unknown): ObjectEntry => {
  const { backup, name, size, frames, records, sha256, plainSha256, salt, noncePrefix } = record(value);
  const kind = objectKind(text(name));
  if (kind !== 'chunk' && kind !== 'index') throw invalid('an object that is neither chunk nor index');
  return {
    backup: id(backup),
    name: text(name),
    size: whole(size),
    frames: whole(frames, maxFrames),
    records: whole(records),
    sha256: bytes(sha256, 32),
    plainSha256: bytes(plainSha256, 32),
    salt: bytes(salt, saltBytes),
    noncePrefix: bytes(noncePrefix, noncePrefixBytes),
  };
};

const pageEntry = (value: unknown): PageEntry => {
  const { object, frame, offset, length, segments, records, first, sha256 } = record(value);
  return {
    object: text(object),
    frame: whole(frame, maxFrames - 1),
    offset: whole(offset),
    length: whole(length),
    segments: whole(segments),
    records: whole(records),
    first: matching(first, /^[\w-]*$/),
    sha256: bytes(sha256, 32),
  };
};

const checkObjects = ({ backup, objects }: Manifest): void => {
  const seen = new Set<string>();
  for (const entry of objects) {
    if (seen.has(objectId(entry))) throw invalid('an object is listed twice');
    seen.add(objectId(entry));
    if (entry.backup !== backup && objectKind(entry.name) !== 'chunk') throw invalid('an index of another backup');
  }
};

const checkPages = ({ backup, objects, pages, counts }: Manifest): void => {
  const indexes = new Map(objects.filter((entry) => entry.backup === backup).map((entry) => [entry.name, entry]));
  const framesSeen = new Map<string, number>();
  let before: Buffer | undefined;
  let records = 0;
  for (const page of pages) {
    const entry = indexes.get(page.object);
    if (!entry || objectKind(page.object) !== 'index') throw invalid('a page of no index');
    if (page.frame >= entry.frames || page.offset + page.length > entry.size) throw invalid('a page beyond its index');
    framesSeen.set(page.object, (framesSeen.get(page.object) ?? 0) + 1);
    records += page.records;
    if (page.segments === 0) continue;
    const first = Buffer.from(page.first, 'base64url');
    if (first.length === 0 || first.length > maxNameBytes || first.toString('base64url') !== page.first)
      throw invalid('a page without a first name');
    if (before && compareNames(before, first) >= 0) throw invalid('pages out of order');
    before = first;
  }
  for (const [name, entry] of indexes)
    if (objectKind(name) === 'index' && framesSeen.get(name) !== entry.frames)
      throw invalid('an index with pages that are not listed');
  if (records !== counts.documents + counts.tombstones + counts.users) throw invalid('the pages hold another number of records');
};

const invalid = (message: string): ArchiveError => new ArchiveError('manifest-invalid', message);

const record = (value: unknown): Record<string, unknown> => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('something else where an object should be');
  return value as Record<string, unknown>;
};

const list = <T>(value: unknown, each: (one: unknown) => T, most = maxManifestPages): T[] => {
  if (!Array.isArray(value)) throw invalid('something else where a list should be');
  if (value.length > most) throw new ArchiveError('too-large', `a list of ${value.length} entries`);
  return value.map(each);
};

const text = (value: unknown): string => {
  if (typeof value !== 'string') throw invalid('something else where text should be');
  return value;
};

const matching = (value: unknown, pattern: RegExp): string => {
  if (!pattern.test(text(value))) throw invalid('text of another form than it should have');
  return text(value);
};

const id = (value: unknown): string => {
  if (!isId(value)) throw invalid('not an id');
  return value;
};

const whole = (value: unknown, most = Number.MAX_SAFE_INTEGER): number => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0 || value > most) throw invalid('not a count');
  return value;
};

const bytes = (value: unknown, length: number): string => {
  if (!decodeBase64(value, length)) throw invalid(`not ${length} bytes`);
  return text(value);
};
