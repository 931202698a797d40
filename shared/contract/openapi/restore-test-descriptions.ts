/** Descriptions of restore tests. */
import { restoreTests } from '../endpoints/protection/restore-tests.ts';
import { Comparison, Difference, RestoreTest, RestoreTestRun, TestWarning } from '../models/restore-test.ts';
import { type FieldTexts, fieldTexts } from './field-texts.ts';

export const restoreTestDescriptions: readonly FieldTexts[] = [
  fieldTexts(restoreTests.create.body, {
    projectId: 'The project to test; null or absent: all projects',
    timezone: 'IANA time zone, such as Europe/Berlin. Defaults to that of the organization',
    backup:
      'latest: the last completed backup. random: one of the last days (default 30). moment: a random second of point-in-time recovery. A plain word is short for the object',
    scope: 'all documents, or a sample of documentsPerCollection of every collection id. "all" is short for {type: "all"}',
    target:
      'The project that the backup is restored into, compared and removed again; never the tested one. null or "none": the archive is read and decoded completely, and compared with its index and with the source as far as its history reaches',
    check:
      'Your own check of the restored data: https with a public address. It is told when the data is ready, and answers pass or fail within timeoutSeconds. Needs a target',
    enabled: 'A paused plan runs only by hand',
  }),
  fieldTexts(RestoreTest, {
    check: 'Of the URL only the host is shown. The secret is shown once, in the answer to the call that set it',
    nextRunAt: 'Null while it is paused',
    lastOutcome: 'Of runs that began together, one that failed',
  }),
  fieldTexts(restoreTests.run.data, {
    runId: 'The first of the runs',
    skipped: 'Projects that are not tested this time, and why',
  }),
  fieldTexts(restoreTests.answerCheck.body, { message: 'Becomes part of the run and its evidence' }),
  fieldTexts(RestoreTestRun, {
    choice: 'How the backup or the moment was chosen: by the digest of seed, among candidates',
    backupId: 'The tested backup; of a moment, the one that was built for it',
    restoreJobId: 'The restore into the target',
    counts: 'What was read of the archive; decoded: documents whose fields were decoded',
    documentsWritten:
      'Written to the target, equal to what it had or not; a test with a target passes only if these are all documents in its scope, less those that erasures hide',
    comparisons: 'How much was compared with the index of the archive, the source and the target; if not, why',
    warnings: 'What the test does not prove although nothing differs; part of the evidence',
    digests: 'SHA-256 in hex: of the manifest, and a chain over names and contents of all documents read',
    durations: 'In milliseconds; null for what the run did not do',
    rtoSeconds:
      'The recovery time measured: from the request of the restore until the last document was in the target; null without a target, and if there was nothing to write',
    removal: 'Whether what the test wrote was removed, and the target is as before',
    evidence:
      'The signed document in the bucket of the backup; null until the run has ended, and for runs that were cancelled or could not start',
  }),
  fieldTexts(Comparison, {
    reason: 'Why it was not compared, or not completely',
    share: 'Documents compared of those in the archive, from 0 to 1',
  }),
  fieldTexts(TestWarning, {
    code: 'SOURCE_NOT_COMPARED: the history of the source no longer reaches; message says why. SOURCE_PARTLY_COMPARED: it ended during the test. NO_DOCUMENTS: the backup is empty, or erasures hide all of it. NOT_WRITTEN: a test of an earlier version, which did not write documents that its target had already',
  }),
  fieldTexts(Difference, { path: 'A document, a collection id or an object of the archive' }),
];
