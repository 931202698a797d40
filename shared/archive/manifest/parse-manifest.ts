import { chunkNameOf, type FilterEntry } from '../filter/filter-directory.ts';
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
import { isArchiveId, objectId, objectKind } from '../primitives/identity.ts';
import { knownFeatures, type Manifest } from './manifest.ts';

/** Validates a parsed manifest; anything that does not exactly match the format is rejected. */
export const parseManifest = (value: unknown): Manifest => {
  const manifest = record(value);
  // Checked first: a later format may differ everywhere else.
  if (manifest.formatVersion !== 2) throw new ArchiveError('unsupported-version', 'the format version of the manifest is not 2');
  const features = list(manifest.requiredFeatures, text);
  const unknown = features.filter((feature) => !knownFeatures.includes(feature));
  if (unknown.length > 0)
    throw new ArchiveError('unknown-feature', `the archive requires unknown features: ${unknown.join(', ').slice(0, 200)}`);
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
    counts: { documents: count(documents), tombstones: count(tombstones), users: count(users) },
    collections: list(manifest.collections, collectionEntry, maxManifestCollections),
    objects: list(manifest.objects, listedEntry, maxManifestObjects),
    ...(manifest.filters !== undefined && { filters: list(manifest.filters, filterEntry, maxManifestObjects) }),
    pages: list(manifest.pages, pageEntry, maxManifestPages),
    notes: record(manifest.notes) as Manifest['notes'],
  };
  checkObjects(checked);
  checkPages(checked);
  return checked;
};

const collectionEntry = (value: unknown): Manifest['collections'][number] => {
  const { id: collection, documents } = record(value);
  return { id: text(collection), documents: count(documents) };
};

const listedEntry = (value: unknown): ObjectEntry => {
  const entry = objectEntry(value);
  const kind = objectKind(entry.name);
  if (kind !== 'chunk' && kind !== 'index') throw invalid('the manifest lists an object that is neither a chunk nor an index');
  return entry;
};

const filterEntry = (value: unknown): FilterEntry => {
  const entry = objectEntry(value);
  if (objectKind(entry.name) !== 'filter') throw invalid('the manifest lists a filter that is none');
  return { ...entry, directory: count(record(value).directory, entry.size) };
};

const objectEntry = (value: unknown): ObjectEntry => {
  const { backup, name, size, frames, records, sha256, plainSha256, salt, noncePrefix } = record(value);
  return {
    backup: id(backup),
    name: text(name),
    size: count(size),
    frames: count(frames, maxFrames),
    records: count(records),
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
    frame: count(frame, maxFrames - 1),
    offset: count(offset),
    length: count(length),
    segments: count(segments),
    records: count(records),
    first: matching(first, /^[\w-]*$/),
    sha256: bytes(sha256, 32),
  };
};

const checkObjects = ({ backup, objects, filters = [] }: Manifest): void => {
  const seen = new Set<string>();
  for (const entry of objects) {
    if (seen.has(objectId(entry))) throw invalid('the manifest lists an object twice');
    seen.add(objectId(entry));
    if (entry.backup !== backup && objectKind(entry.name) !== 'chunk')
      throw invalid('the manifest lists an index of another backup');
  }
  for (const entry of filters) {
    if (seen.has(objectId(entry))) throw invalid('the manifest lists an object twice');
    seen.add(objectId(entry));
    if (!seen.has(objectId({ backup: entry.backup, name: chunkNameOf(entry.name) })))
      throw invalid('the manifest lists the filters of a chunk that it does not list');
  }
};

const checkPages = ({ backup, objects, pages, counts }: Manifest): void => {
  const indexes = new Map(objects.filter((entry) => entry.backup === backup).map((entry) => [entry.name, entry]));
  const framesSeen = new Map<string, number>();
  let before: Buffer | undefined;
  let records = 0;
  for (const page of pages) {
    const entry = indexes.get(page.object);
    if (!entry || objectKind(page.object) !== 'index') throw invalid('the manifest lists a page of an unknown index');
    if (page.frame >= entry.frames || page.offset + page.length > entry.size)
      throw invalid('the manifest lists a page beyond its index');
    framesSeen.set(page.object, (framesSeen.get(page.object) ?? 0) + 1);
    records += page.records;
    if (page.segments === 0) continue;
    const first = Buffer.from(page.first, 'base64url');
    if (first.length === 0 || first.length > maxNameBytes || first.toString('base64url') !== page.first)
      throw invalid('the manifest lists a page with an invalid first name');
    if (before && compareNames(before, first) >= 0) throw invalid('the pages of the manifest are out of order');
    before = first;
  }
  for (const [name, entry] of indexes)
    if (objectKind(name) === 'index' && framesSeen.get(name) !== entry.frames)
      throw invalid('the manifest does not list all pages of an index');
  if (records !== counts.documents + counts.tombstones + counts.users)
    throw invalid('the number of records in the pages differs from the counts of the manifest');
};

const invalid = (message: string): ArchiveError => new ArchiveError('manifest-invalid', message);

const record = (value: unknown): Record<string, unknown> => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('expected an object in the manifest');
  return value as Record<string, unknown>;
};

const list = <T>(value: unknown, each: (one: unknown) => T, max = maxManifestPages): T[] => {
  if (!Array.isArray(value)) throw invalid('expected a list in the manifest');
  if (value.length > max) throw new ArchiveError('too-large', `a list of the manifest has ${value.length} entries`);
  return value.map(each);
};

const text = (value: unknown): string => {
  if (typeof value !== 'string') throw invalid('expected text in the manifest');
  return value;
};

const matching = (value: unknown, pattern: RegExp): string => {
  if (!pattern.test(text(value))) throw invalid('a text of the manifest has an invalid format');
  return text(value);
};

const id = (value: unknown): string => {
  if (!isArchiveId(value)) throw invalid('the manifest has an invalid id');
  return value;
};

const count = (value: unknown, max = Number.MAX_SAFE_INTEGER): number => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0 || value > max)
    throw invalid('the manifest has an invalid number');
  return value;
};

const bytes = (value: unknown, length: number): string => {
  if (!decodeBase64(value, length)) throw invalid(`the manifest has a value that is not ${length} bytes in base64url`);
  return text(value);
};
