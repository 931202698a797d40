/** Descriptions of exports. */
import { exports as rows } from '../endpoints/exports.ts';
import { Export, ExportContent, ExportFile, ExportPlan } from '../models/export.ts';
import { type FieldTexts, fieldTexts } from './field-texts.ts';

const partial =
  'What is not proven of the backup, because it was built by a restore to a point in time with allowPartial; null if nothing is missing';
const pointInTime = 'The requested moment; null when a backup is exported';

export const exportDescriptions: readonly FieldTexts[] = [
  fieldTexts(Export, {
    projectName: 'Name of the project when the export started',
    backupId: 'With pointInTime: the backup that is built from the moment first; null until it is built',
    pointInTime,
    readTime: 'The files have the documents as they were then; null if the backup does not tell',
    unknownCollections:
      'Requested collections that are not in the backup; the first 100. If it has none of them, the export fails with COLLECTION_NOT_FOUND',
    unknownCollectionsCount: 'Number of requested collections that are not in the backup',
    partial,
    columns: 'Of csv: the columns that were requested; null if they are found in the data',
    exactText: 'Of csv: texts are not changed, also if a spreadsheet would run them as formulas',
    download:
      'Requested with download: it fails if its files are too large to be downloaded, and they are deleted after a day or the retention',
    path: 'Path of the folder within the bucket. manifest.json in it is written last',
    phase:
      'building: the backup of a moment is built. reading: columns are found. writing: files are stored. A failed or cancelled export keeps its last phase',
    cancelling: 'True from the cancellation until no worker stores a file any more, which takes a few seconds',
    waitingFor: 'Set if the bucket does not answer. An export fails after 30 minutes without an answer',
    documents: 'Documents in the files',
    documentsErased: 'Documents in scope that the erasure ledger hides',
    files: 'Number of files, without the manifest',
    bytes: 'Size of these files',
    manifest: 'The file that lists every file with its documents, bytes and SHA-256; null until the export is completed',
    recipients: 'Public keys for whose owners the files are encrypted; empty if they are not encrypted',
    retention: 'Days after which the files of a completed export are deleted; null if they stay',
    expiresAt: 'When the files are deleted; null if they stay, or until the export is completed',
    filesDeletedAt: 'When the files were deleted because the retention had ended',
    filesKeptReason:
      'Why the files are still there although they have expired; deleting them is tried once a day for 30 days. Null if they are not',
    resumableUntil:
      'Until then a failed export can be resumed with POST /exports/{exportId}/resume, and what it has written is kept; null if it cannot',
    transform: 'Only of a masked export',
    cost: 'The source is not read. Requests to the bucket are not part of it',
    duration: 'Seconds',
    createdBy: 'Null if it was not recorded',
  }),
  fieldTexts(ExportFile, {
    name: 'Path below the folder of the export',
    collection: 'The id of its collections; null if it has the documents of all, or none',
  }),
  fieldTexts(ExportContent, {
    offset: 'Where the piece begins in the file',
    bytes: 'Size of the piece',
    totalBytes: 'Size of the file',
    nextOffset: 'Where the next piece begins; null at the end of the file',
    content: 'The bytes of the piece in base64',
  }),
  fieldTexts(rows.content.query, {
    file: 'A name of GET /exports/{exportId}/files',
    offset: 'Where to begin, in bytes. Defaults to 0',
  }),
  fieldTexts(ExportPlan, {
    backupId: 'With pointInTime: the backup that the moment is built from',
    pointInTime,
    documents:
      'Documents in scope, by the index of the backup: exact for all collections, otherwise close. Of a moment: those of its base',
    bytes: 'Bytes of these documents in the encoding of the source; files in a format may be larger or smaller',
    files:
      'An estimate: one for each range of names, and one for each further collection id; of google as many again, with metadata, and two more',
    unknownCollections:
      'Requested collections that are not in the backup; the first 100. If it has none of them, the call fails with COLLECTION_NOT_FOUND. Of a moment the job finds out',
    unknownCollectionsCount: 'Number of requested collections that are not in the backup',
    partial,
    cost: 'The source is not read. Requests to the bucket are not part of it',
  }),
  fieldTexts(rows.create.body, {
    projectId: 'With pointInTime, instead of backupId',
    pointInTime: 'A whole second within a window of GET /projects/{projectId}/pitr/windows',
    collections: 'Paths of collections, each with everything below it. Defaults to all',
    format:
      'ndjson: plain JSON, a document per line. ndjson-typed: Firestore’s REST JSON, exact. csv and parquet: a folder for each collection id. google: the format of managed exports, for gcloud, BigQuery and the Firebase emulator',
    columns: 'Of csv: paths of fields, such as email or address.city, and __path__, __id__, __createTime__, __updateTime__',
    exactText: 'Of csv: texts are not changed, also if a spreadsheet would run them as formulas. Defaults to false',
    storageDestinationId: 'Where the files are stored. Defaults to the destination of the backup',
    download:
      'Only to be downloaded, instead of storageDestinationId: the files are beside the backup for a day, or for the retention, and an export of more than 1 GiB fails. GET /exports/{exportId}/files and /content read them. Defaults to false',
    transform:
      'Masks documents by rules, as options.transform of a restore. A rule that matches nothing fails the export with TRANSFORM_INVALID, unless allowUnmatched',
    recipients:
      'Public keys of age. The files are encrypted for their owners in the format of age: “age --decrypt” reads them, and the service cannot. manifest.json is not encrypted. By default no file is',
    retention: 'Days after which the files of a completed export are deleted. By default they stay',
    dryRun: 'Only returns what would be exported',
  }),
  fieldTexts(rows.list.query, {
    from: 'Created at or after; a date means midnight UTC',
    to: 'Created at or before; a date means the end of that day, UTC',
  }),
];
