/** Descriptions of erasures. */
import { erasures } from '../endpoints/protection/erasures.ts';
import { Erasure, ErasurePreview } from '../models/erasure.ts';
import { RestoreHistory, RestoreJob, RestorePlan } from '../models/restore.ts';
import { type FieldTexts, fieldTexts } from './field-texts.ts';

const documentsErased = 'Documents of the backup, in scope, that an erasure of the project hides: neither written nor deleted';

const documents = {
  paths: 'Exact paths of documents. Give either paths or query. Encrypted at rest and never returned',
  query:
    'Every document whose field has this value, or had it in any backup or captured change: its path is erased in all backups',
  includeSubcollections:
    'Whether everything below the documents is erased, too. Also applies to the documents that a query finds',
};

export const erasureDescriptions: readonly FieldTexts[] = [
  fieldTexts(erasures.preview.body, documents),
  fieldTexts(erasures.create.body, {
    ...documents,
    reason: 'Shown in the ledger and the audit log: write no personal data',
  }),
  fieldTexts(erasures.create.body.shape.query.def.innerType, {
    collection: 'The id of the collections, at any depth; all collections if absent',
    field: 'A field path, such as profile.email; names with dots in backticks',
    value:
      'Compared as a Firestore query does: 5 equals 5.0, text is compared exactly. Encrypted at rest and never returned. Other types as in documents, such as {"timestampValue": "2025-01-31T08:00:00Z"}',
  }),
  fieldTexts(Erasure, {
    pathCount: 'Number of paths in the entry: given, or found by the query so far',
    query: 'Null if the documents were given by path; the value is not returned',
    status:
      'resolving: in force, and the backups are being searched for the documents. active: in force; lastHeldBackupId holds documents. expired: no kept backup and no captured change holds them any more; later backups are still filtered. A document that is created more than 20 minutes after the erasure is a new one and is not erased, even if it has the path or the value',
    documentsFound: 'Documents found in the newest backup that had any; null while resolving',
    copies:
      'stored: every destination with backups of the project has this entry beside the backups. pending: not yet; it is retried until it succeeds',
    lastHeldBackupId: 'The newest backup in which the documents were found; null if in none',
    expiredAt: 'When the last backup that held the documents was found to be gone',
  }),
  fieldTexts(ErasurePreview, {
    backupId: 'The backup that was searched, the newest of all collections; null if the project has no completed one',
    readTime: 'The time of the backup',
    documents: 'Documents that would be hidden in this backup, those below others included',
    paths: 'The first 20 of them',
    complete:
      'False if there may be more documents: the backup does not have all collections, or is too large to be searched within a call',
  }),
  fieldTexts(RestorePlan, { documentsErased }),
  fieldTexts(RestoreJob, { documentsErased }),
  fieldTexts(RestoreHistory, { documentsErased }),
];
