/** Descriptions of the evidence of restore tests and of the report. */
import { ProtectionReport } from '../models/protection-report.ts';
import { RestoreTestReport, SignedEvidence } from '../models/restore-test-evidence.ts';
import { type FieldTexts, fieldTexts } from './field-texts.ts';

const { element: project } = RestoreTestReport.shape.projects.def;
const { element: test } = project.shape.tests.def;

export const evidenceDescriptions: readonly FieldTexts[] = [
  fieldTexts(SignedEvidence, {
    result: 'How the test ended; a cancelled test has no evidence',
    tested: 'What was tested and how it was chosen: seed and candidates let anyone repeat a random choice',
    documentsWritten: 'Documents written to the target; null without one. Absent in evidence of earlier versions',
    collections: 'Documents read by collection id, the first 1,000; collectionsOmitted counts the others',
    digests:
      'SHA-256 in hex. manifest: of the object manifest of the backup, as sha256sum prints it. documents: of the names and contents of all documents compared, in order',
    warnings: 'What the test does not prove, such as that the source was not compared. Absent in evidence of earlier versions',
    signature:
      'RSASSA-PKCS1-v1_5 with SHA-256 over the canonical JSON (RFC 8785) of everything else. keyId is the RFC 7638 thumbprint of publicKey; compare it with /.well-known/evidence-keys.json',
  }),
  fieldTexts(RestoreTestReport, {
    from: 'Runs that began at or after this moment',
    to: 'Runs that began at or before this moment',
    generatedBy: 'Who asked for the report',
    projects: 'Every project of the organization by name, tested or not, and disconnected ones that were tested',
  }),
  fieldTexts(ProtectionReport, {
    auditLogFrom:
      'Entries of the audit log before this moment are deleted: erasures, removals and changes before it are not listed',
    backups: 'Backups that began in the period. Records of backups that were deleted or have expired are kept for 30 days more',
    restores: 'Restores that began in the period, without dry runs, newest first; at most 500, omitted counts the others',
    restoreTests: 'Restore tests that began in the period, as in GET /restore-tests/report',
    erasures: 'Entries of the audit log about erasures (GDPR article 17), newest first; at most 500, omitted counts the others',
    removals:
      'Entries of the audit log about backups that were deleted by someone, found damaged, or are not locked as they should be',
    changes: 'Entries of the audit log about settings, members, invitations and keys',
    retention: 'Schedules with their retention, and storage with its locks, as they are now',
  }),
  fieldTexts(RestoreTestReport.shape.summary, {
    notTested: 'Projects without a test that passed or failed in the period: nothing proves that their backups restore',
    failing: 'Projects whose last test of the period failed',
    notProven:
      'Tests of earlier versions that passed although their target had documents already, which they did not write; they prove nothing and are not among those that passed',
    backupsProven: 'Different backups and moments that passed',
    passedWithWarnings: 'Tests that passed, but do not prove everything: see their warnings',
    rto: 'Seconds from the start of a restore until every document was in the target, of tests that passed; null if none restored',
  }),
  fieldTexts(project, {
    result: 'How the last test of the period ended; not_tested if none passed or failed',
    connected: 'False if the project was disconnected since',
    tests: 'Tests that passed or failed, newest first, at most 100; testsOmitted counts the others',
  }),
  fieldTexts(test, {
    status: 'not_proven: see notProven of the summary; documentsWritten says how many of documents were written',
    documentsWritten: 'To the target; null without one, or if it is not known',
    evidence: 'Where the signed evidence is stored in the storage destination, the SHA-256 of the object, and the key',
  }),
];
