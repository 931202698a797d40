import { documents } from '../endpoints/documents.ts';
import { search } from '../endpoints/search.ts';
import { CapturedDocumentChange, DeletedDocuments, DocumentInBackup, LocatedDocument } from '../models/document.ts';
import { FoundDocuments } from '../models/found-documents.ts';
import { fieldTexts } from './field-texts.ts';

const live = LocatedDocument.shape.live.def.innerType;
const moments = LocatedDocument.shape.moments.def.innerType;

export const documentDescriptions = [
  fieldTexts(search.documents.query, {
    q: 'What is searched for: see the description of the operation',
    backupId:
      'Of the project. Without it the newest completed backup is searched, of all collections if one of the newest 50 is; data.backupId says which one',
    collection: 'The id of a collection, at any depth, or the path of one with everything below it',
    part: 'One of several equal parts of the backup, such as 2/4. plan.parts says how many are worthwhile',
    dryRun: 'true only returns the plan',
  }),
  fieldTexts(FoundDocuments, {
    kind: 'What q was understood as',
    readTime: 'The time of the backup',
    plan: 'Of the whole search, or of the given part',
    matches: 'In the order of names; a page may have none although the search goes on',
    scanned: 'What this call looked at',
  }),
  fieldTexts(FoundDocuments.shape.plan, {
    documents: 'Documents that are looked at, about',
    total: 'Documents that would be looked at without filters, about',
    fields: 'The fields that q compares with ==: only of these can filters rule documents out',
    bytes: 'Bytes that are read from the bucket, about',
    parts: 'So many parts may be searched at once',
    seconds: 'The time of all functions together; with parts, divide by them',
    indexed:
      'Whether filters in the backup say which documents cannot match, so that only the others are read: of ids, and of fields in settings.searchFields of the project when the backup was made, for conditions with ==',
    estimatedUsd: 'For requests to the bucket and for functions, at list prices. The source is not read',
  }),
  fieldTexts(FoundDocuments.shape.plan.shape.fields.def.element, {
    path: 'The path of the field, such as email or address.city',
    named:
      'Whether settings.searchFields of the project names it now. Backups that were made before it did have no filters of it',
  }),
  fieldTexts(documents.locate.query, {
    projectId: 'May be left out if path names a Google Cloud project that is connected',
    path: 'A path such as users/ada; a resource name (projects/…/databases/…/documents/…); the address of a document in the console of Google Cloud or Firebase; or an id, which is looked for in the root collections of the newest backups and of the live database, and in captured changes',
  }),
  fieldTexts(LocatedDocument, {
    path: 'Null if an id occurs in no collection, or in several',
    candidates: 'Documents with the given id, if there are several: ask again with one of these paths',
    notSearched: 'Places in which an id could not be looked for, with the reason; the others were searched',
    live: 'The document in the database now; null if path is',
    backups:
      'What the completed backups say about the document, newest first. Those whose scope does not have it are left out, and those that a restore made for itself',
    examined: 'Backups that were examined for this page',
    moments: 'What point-in-time recovery knows; null if changes of the project are not captured',
    recommended:
      'The newest state that differs from the live one, as a backup or, if no examined backup has it, as a moment: what to restore. Null if there is none',
  }),
  fieldTexts(live, {
    exists: 'Null if it cannot be said; reason says why',
    reason:
      'unauthorized: the project must be reconnected. unavailable: the database does not respond. role: the caller is a viewer, and reading the database is billed',
  }),
  fieldTexts(DocumentInBackup, {
    exists: 'Null if it cannot be said; reason says why',
    erased: 'The erasure ledger hides the document',
    contentHash: 'Equal for states with the same fields',
    changed: 'Whether it differs from the next older state; null if that is not known. Unchanged states have no document',
    document: 'The document, if this state differs from the next older one',
    reason: 'erased; unproven: the backup was built for a moment that was not proven; unreadable: message says why',
  }),
  fieldTexts(moments, {
    changes: 'The last captured versions and deletions of the document, newest first, at most 20',
    searchedFrom: 'All captured changes after this moment were searched',
    complete: 'Whether all captured changes were searched',
    message: 'Why captured changes could not be read, or null',
  }),
  fieldTexts(CapturedDocumentChange, {
    restorableAt: 'A pointInTime that restores this version; null of a deletion, and if no moment has it',
  }),
  fieldTexts(LocatedDocument.shape.summary, {
    found: 'Whether the document exists anywhere, or existed',
    lastSeen: 'The last moment at which it is known to have existed',
    lastChangedAt: 'When its newest known version was written',
    vanishedBetween: 'Between which moments it was deleted; null if it exists, or was never seen',
  }),
  fieldTexts(DeletedDocuments, {
    captured: 'Whether changes of the project are captured',
    documents: 'At most 50, newest first. Documents that were created again are left out',
    searchedFrom: 'All captured changes after this moment were searched',
    complete: 'Whether all captured changes were searched',
  }),
];
