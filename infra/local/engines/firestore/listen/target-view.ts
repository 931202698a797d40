import { databaseName, parseDocumentName, parseParent } from '../base/document-name.ts';
import { nextKey } from '../base/path-key.ts';
import { Pending, taken } from '../base/pending.ts';
import { type DocumentChange, type Micros, type PathKey, RpcError, type StoredDocument } from '../base/types.ts';
import type { Target } from '../proto/query-messages.ts';
import { checkIndex } from '../query/check-index.ts';
import { executePlan, matches, projected, type Scan } from '../query/execute-plan.ts';
import { type Plan, planQuery } from '../query/plan.ts';
import type { StoredDatabase } from '../storage/database.ts';

/** What to tell the client about one document. */
export type ViewChange =
  | { readonly kind: 'changed'; readonly document: StoredDocument }
  /** It changed and no longer matches. */
  | { readonly kind: 'unmatched'; readonly document: StoredDocument }
  /** It did not change, but others displaced it within the limit. */
  | { readonly kind: 'pushed-out'; readonly path: string }
  | { readonly kind: 'deleted'; readonly path: string };

/** The documents a target matches, and how they change. */
export interface View {
  /** All documents at a time. Also records the state for later changes. */
  initial(at: Micros): Iterable<ViewChange | Pending>;
  /** The differences between two times. */
  since(after: Micros, at: Micros): Iterable<ViewChange | Pending>;
  /** The effects of a commit. */
  changed(changes: readonly DocumentChange[], at: Micros): Iterable<ViewChange | Pending>;
  /** The matching documents. */
  matching(at: Micros): Iterable<Pick<StoredDocument, 'path'> | Pending>;
}

export const viewOf = (target: Target, database: StoredDatabase): View => {
  if (target.documents) return documentsView(target.documents.documents, database);
  if (!target.query?.structuredQuery) throw new RpcError('INVALID_ARGUMENT', 'target_type is required.');
  const parent = parseParent(target.query.parent);
  const query = target.query.structuredQuery;
  // Unlike RunQuery, Listen requires a collection id: the service has no feed of a whole database.
  if (!query.from[0]?.collectionId) throw new RpcError('INVALID_ARGUMENT', 'Listen requires a collection id in the query.');
  const plan = planQuery(query, { parent, databaseName: databaseName(parent) });
  checkIndex(database.indexes, { parent, query, plan });
  const isBounded =
    plan.limit !== undefined || plan.offset > 0 || plan.start !== undefined || plan.end !== undefined || plan.nearest;
  return isBounded ? boundedView(plan, database) : openView(plan, database);
};

const scanAt =
  (database: StoredDatabase, at: Micros): Scan =>
  (from, to, options) =>
    database.scanAll({ from, to, ...options }, at);

/** A query without limit and cursors: whether a document matches depends on that document alone. */
const openView = (plan: Plan, database: StoredDatabase): View => {
  const isMatch = matches(plan);
  const belongs = (document: StoredDocument | undefined): document is StoredDocument =>
    document !== undefined && document.key >= plan.from && document.key < plan.to && isMatch(document);
  const shown = (document: StoredDocument): StoredDocument => (plan.select ? projected(document, plan.select) : document);
  function* tell(changes: Iterable<DocumentChange>): Generator<ViewChange> {
    for (const { path, before, after } of changes) {
      if (belongs(after)) yield { kind: 'changed', document: shown(after) };
      else if (belongs(before)) yield after ? { kind: 'unmatched', document: shown(after) } : { kind: 'deleted', path };
    }
  }
  return {
    *initial(at) {
      for (const document of executePlan(plan, scanAt(database, at)))
        yield document instanceof Pending ? document : { kind: 'changed', document };
    },
    since: (after, at) => tell(database.changes(plan.from, plan.to, { after, at })),
    changed: (changes) => tell(changes),
    matching: (at) => executePlan(plan, scanAt(database, at)),
  };
};

/** A query with a limit or cursors: one change can move other documents in or out, so results are compared. */
const boundedView = (plan: Plan, database: StoredDatabase): View => {
  let seen = new Map<PathKey, StoredDocument>();
  function* resultsAt(at: Micros): Generator<Pending, Map<PathKey, StoredDocument>, undefined> {
    const results = new Map<PathKey, StoredDocument>();
    for (const document of executePlan(plan, scanAt(database, at)))
      if (document instanceof Pending) yield document;
      else results.set(document.key, document);
    return results;
  }
  const isMatch = matches(plan);
  function* compare(at: Micros): Generator<ViewChange | Pending> {
    const before = seen;
    seen = yield* resultsAt(at);
    for (const [key, { path, updateTime }] of before) {
      if (seen.has(key)) continue;
      const now = yield* taken(database.fetch(key, at));
      if (!now) yield { kind: 'deleted', path };
      else yield now.updateTime === updateTime ? { kind: 'pushed-out', path } : { kind: 'unmatched', document: now };
    }
    for (const [key, document] of seen)
      if (before.get(key)?.updateTime !== document.updateTime) yield { kind: 'changed', document };
  }
  return {
    *initial(at) {
      seen = yield* resultsAt(at);
      for (const document of seen.values()) yield { kind: 'changed', document };
    },
    *since(after, at) {
      seen = yield* resultsAt(after);
      yield* compare(at);
    },
    changed(changes, at) {
      const concerns = changes.some(({ before, after }) => (before && isMatch(before)) || (after && isMatch(after)));
      return concerns ? compare(at) : [];
    },
    matching: () => seen.values(),
  };
};

/** Documents by name. A missing document is reported as deleted. */
const documentsView = (names: readonly string[], database: StoredDatabase): View => {
  const wanted = new Map<PathKey, string>();
  for (const name of names) {
    const { key, path } = parseDocumentName(name);
    wanted.set(key, path);
  }
  return {
    *initial(at) {
      for (const [key, path] of wanted) {
        const document = yield* taken(database.fetch(key, at));
        yield document ? { kind: 'changed', document } : { kind: 'deleted', path };
      }
    },
    *since(after, at) {
      for (const [key, path] of wanted) {
        for (const { after: now } of database.changes(key, nextKey(key), { after, at }))
          yield now ? { kind: 'changed', document: now } : { kind: 'deleted', path };
      }
    },
    *changed(changes) {
      for (const { key, path, after } of changes)
        if (wanted.has(key)) yield after ? { kind: 'changed', document: after } : { kind: 'deleted', path };
    },
    *matching(at) {
      for (const [key, path] of wanted) if (yield* taken(database.fetch(key, at))) yield { path };
    },
  };
};
