/** The schemas of responses that have a name in the OpenAPI document, each with an example. */
import type * as z from 'zod/mini';
import { alerts } from '../endpoints/alerts.ts';
import { AuditEntry } from '../endpoints/audit-logs.ts';
import { auth, SignInSession, sessions, TokenSet, User } from '../endpoints/auth.ts';
import { DeviceCode, DeviceRequest, device } from '../endpoints/device.ts';
import { invitations, invites } from '../endpoints/invitations.ts';
import { members } from '../endpoints/members.ts';
import { Deletion, organizations } from '../endpoints/organizations.ts';
import { projects } from '../endpoints/projects.ts';
import { restoreTests } from '../endpoints/protection/restore-tests.ts';
import { serviceAccount } from '../endpoints/service-account.ts';
import { StorageTest } from '../endpoints/storage-destinations.ts';
import { Health } from '../endpoints/system.ts';
import { webhooks } from '../endpoints/webhooks.ts';
import { Alert, AlertDelivery, AlertTest, Incident, IncidentEntry, IncidentWithTimeline } from '../models/alert.ts';
import { AlertDigest, DigestProject } from '../models/alert-digest.ts';
import { ApiKey, ApiKeyWithSecret } from '../models/api-key.ts';
import { Backup, BackupEntry, Diff, Estimate, Verification } from '../models/backup.ts';
import { BackupConfiguration, ConfigurationDiff, ConfigurationRestore } from '../models/configuration.ts';
import {
  CapturedDocumentChange,
  DeletedDocument,
  DeletedDocuments,
  DocumentInBackup,
  LocatedDocument,
} from '../models/document.ts';
import { Encryption } from '../models/encryption.ts';
import { Erasure, ErasurePreview } from '../models/erasure.ts';
import { Export, ExportContent, ExportFile, ExportPlan } from '../models/export.ts';
import { FoundDocuments } from '../models/found-documents.ts';
import { Cost, Creator, JobError, Progress, Timeline, TimelineEntry, WaitingFor } from '../models/job.ts';
import { Member } from '../models/member.ts';
import { Attention, FailedJob, HistoryDay, Overview, ProjectOverview } from '../models/overview.ts';
import { Pitr, PitrDivergence, PitrWindows } from '../models/pitr.ts';
import { Project } from '../models/project.ts';
import { ProjectReads } from '../models/project-reads.ts';
import { ProtectionReport, ProtectionReportFile } from '../models/protection-report.ts';
import { DryRun, JobPlan, RestoreHistory, RestoreJob } from '../models/restore.ts';
import { Comparison, Difference, RestoreTest, RestoreTestRun } from '../models/restore-test.ts';
import { RestoreTestReport, RestoreTestReportFile, SignedEvidence } from '../models/restore-test-evidence.ts';
import { Schedule, ScheduleOutcome } from '../models/schedule.ts';
import { StorageDestination } from '../models/storage-destination.ts';
import { ProjectStorage, StorageUsage } from '../models/storage-usage.ts';
import { Delivery, DeliveryRequest, Webhook, WebhookEvent, WebhookWithSecret } from '../models/webhook.ts';
import { version } from '../version.ts';
import { WorkloadIdentitySetup } from '../workload-identity.ts';
import * as account from './examples/account-examples.ts';
import {
  alert,
  alertDelivery,
  alertDigest,
  alertTest,
  digestProject,
  incident,
  incidentOpening,
  incidentWithTimeline,
} from './examples/alert-examples.ts';
import { backupConfiguration, configurationDiff, configurationRestore } from './examples/configuration-examples.ts';
import {
  deletedDocument,
  deletedDocuments,
  documentChange,
  documentInBackup,
  foundDocuments,
  locatedDocument,
} from './examples/document-examples.ts';
import { erasureExample, erasurePreviewExample } from './examples/erasure-example.ts';
import { evidenceExample, protectionReportExample, reportExample } from './examples/evidence-examples.ts';
import * as job from './examples/job-examples.ts';
import { deletion, organizationExample } from './examples/organization-examples.ts';
import { projectReadsExample } from './examples/reads-example.ts';
import { exampleTime } from './examples/request-examples.ts';
import { comparison, difference, restoreTest, restoreTestRun } from './examples/restore-test-examples.ts';
import * as hook from './examples/webhook-examples.ts';
import { workloadIdentitySetupExample } from './examples/workload-identity-setup-example.ts';

interface Resource {
  readonly schema: z.ZodMiniType;
  readonly description: string;
  readonly example: unknown;
}

const resource = <S extends z.ZodMiniType>(schema: S, description: string, example: z.output<S>): Resource => ({
  schema,
  description,
  example,
});

/** A view of a resource: the example has the same values. */
const view = <S extends z.ZodMiniObject>(schema: S, description: string, ...whole: readonly object[]): Resource => {
  const values = Object.assign({}, ...whole) as Readonly<Record<string, unknown>>;
  const fields = Object.keys(schema.shape).filter((name) => name in values);
  return { schema, description, example: Object.fromEntries(fields.map((name) => [name, values[name]])) };
};

const { invitation, serviceAccountExample: robot, member } = account;
const { webhook, delivery } = hook;
const at = exampleTime.toISOString();
const joined = {
  organization: { id: organizationExample.id, name: organizationExample.name },
  role: 'member',
  joinedAt: at,
} as const;
const health = { status: 'healthy', version, timestamp: at, checks: { database: 'ok', redis: 'ok', storage: 'ok' } } as const;
const [firstProject] = job.overviewExample.projects;
const [attention] = job.overviewExample.attention;
const [failed] = job.overviewExample.failedJobs;
const [day] = job.overviewExample.history.days;
if (!firstProject || !attention || !failed || !day) throw new Error('the example of the overview lacks an element');

export const resources: Readonly<Record<string, Resource>> = {
  User: resource(User, 'A signed-in user with their organizations', account.user),
  TokenSet: resource(TokenSet, 'Tokens of a session', account.tokenSet),
  RefreshedTokens: view(
    auth.refresh.data,
    'New tokens. A refresh by cookie sets the refresh token as a cookie',
    account.tokenSet,
  ),
  DeviceCode: resource(DeviceCode, 'The codes of a device that signs in', account.deviceCode),
  DeviceRequest: resource(DeviceRequest, 'A device that waits for the approval of a person', account.deviceRequest),
  SignIn: resource(
    SignInSession,
    'A sign-in of the person: a session of a browser, a device or an application',
    account.signInSession,
  ),
  RevokedSignIns: resource(sessions.revokeAll.data, 'How many sign-ins have ended', { revoked: 2 }),
  DeviceDecision: resource(device.decide.data, 'What the person decided', { status: 'approved' }),
  Organization: view(organizations.current.data, 'The organization of a request', organizationExample),
  OrganizationSummary: view(organizations.list.list, 'An organization of the caller', organizationExample),
  CreatedOrganization: view(organizations.create.data, 'A new organization', organizationExample),
  UpdatedOrganization: view(organizations.update.data, 'The changed part of an organization', organizationExample),
  RecoveredOrganization: view(organizations.recover.data, 'An organization that was recovered', organizationExample),
  OrganizationDeletion: resource(Deletion, 'A deleted organization', deletion),
  Member: resource(Member, 'A member of an organization', member),
  UpdatedMember: view(members.update.data, 'The new role of a member', member, { updatedAt: at }),
  Invitation: view(invites.list.list, 'A pending invitation', invitation),
  CreatedInvitation: view(invites.create.data, 'A new invitation with its link', invitation),
  ResentInvitation: view(invites.resend.data, 'An invitation with its new link', invitation),
  InvitationView: view(invitations.view.data, 'An invitation as the invited person sees it', joined, invitation),
  ReceivedInvitation: view(
    invitations.list.list,
    'A pending invitation of the signed-in person',
    { ...joined, token: '01JZ8Q4V0M6T3X9C2B7N5K1HRD.01JZ8Q4V0M6T3X9C2B7N5K1HRD.…' },
    invitation,
  ),
  Membership: resource(invitations.accept.data, 'The membership that accepting an invitation begins', joined),
  DeclinedInvitation: view(invitations.decline.data, 'An invitation that was declined', joined, { status: 'declined' }),
  ServiceAccount: view(serviceAccount.get.data, 'A service account without its key', robot),
  CreatedServiceAccount: view(serviceAccount.create.data, 'A new service account with its key', robot),
  UpdatedServiceAccount: view(serviceAccount.update.data, 'A changed service account', robot),
  RotatedServiceAccount: view(serviceAccount.rotateKey.data, 'A service account with its new key', robot),
  TakenOverServiceAccount: view(serviceAccount.takeOver.data, 'A service account of another user now', robot),
  ApiKey: resource(ApiKey, 'An API key without its secret text', account.apiKeyExample),
  ApiKeyWithSecret: resource(ApiKeyWithSecret, 'An API key with its secret text, which is shown once', {
    ...account.apiKeyExample,
    apiKey: 'fb_key_…',
  }),
  Encryption: resource(Encryption, 'How data keys of backups are wrapped', account.encryptionExample),
  ProjectReads: resource(ProjectReads, 'What the protection of a project reads a day', projectReadsExample),
  Project: resource(Project, 'A connected Firestore database', account.projectExample),
  RootCollection: resource(projects.collections.list, 'A root collection of a database', { id: 'orders', count: 31_002 }),
  WorkloadIdentitySetup: resource(
    WorkloadIdentitySetup,
    'How a Google Cloud project trusts this organization, as gcloud commands',
    workloadIdentitySetupExample,
  ),
  Pitr: resource(Pitr, 'Point-in-time recovery of a project', account.pitrExample),
  PitrDivergence: resource(
    PitrDivergence,
    'A document that the audit found to differ from what was captured',
    account.pitrDivergence,
  ),
  PitrWindows: resource(PitrWindows, 'What of a project can be restored to which times', account.pitrWindows),
  Erasure: resource(Erasure, 'Documents that no backup shows any more', erasureExample),
  ErasurePreview: resource(ErasurePreview, 'What an erasure would hide in the newest backup', erasurePreviewExample),
  StorageDestination: resource(StorageDestination, 'A bucket for backups', account.storageDestination),
  StorageTest: resource(StorageTest, 'The result of testing a storage destination', account.storageTest),
  StorageUsage: resource(StorageUsage, 'What a storage destination holds, and what uses it', account.storageUsageExample),
  ProjectStorage: resource(ProjectStorage, 'What a project has in a storage destination', account.projectStorageExample),
  JobProgress: resource(Progress, 'How far a job has come', job.backup.progress),
  JobError: resource(JobError, 'Why a job failed', failed.error ?? { code: 'INTERNAL_ERROR', message: '', details: {} }),
  JobTimeline: resource(Timeline, 'What happened to a job, and when', {
    entries: [
      { at: '2026-03-01T03:00:00.000Z', kind: 'created', message: null },
      { at: '2026-03-01T03:00:01.000Z', kind: 'started', message: null },
      { at: '2026-03-01T03:00:02.000Z', kind: 'phase', phase: 'copying', message: null },
      { at: '2026-03-01T03:00:09.000Z', kind: 'ended', status: 'completed', message: null },
    ],
  }),
  JobTimelineEntry: resource(TimelineEntry, 'One entry of a timeline', {
    at: '2026-03-01T03:00:02.000Z',
    kind: 'phase',
    phase: 'copying',
    message: null,
  }),
  JobWait: resource(WaitingFor, 'What a job that makes no progress waits for', {
    reason: 'storage',
    since: '2026-03-01T03:00:05.000Z',
    attempts: 2,
    problem: 'The bucket did not answer in time.',
    givesUpAt: '2026-03-01T03:05:05.000Z',
  }),
  JobCreator: resource(Creator, 'Who started a job', { type: 'user', ...invitation.invitedBy }),
  ReadCost: resource(Cost, 'Documents that the source bills as read, and their price', job.backup.cost),
  Verification: resource(
    Verification,
    'The last verification of a backup',
    job.backup.verification as z.output<typeof Verification>,
  ),
  Backup: resource(Backup, 'A backup and its progress', job.backup),
  BackupEstimate: resource(Estimate, 'What a backup would read and cost', job.estimate),
  BackupEntry: resource(BackupEntry, 'A collection or a document of a backup', job.entry),
  BackupDiff: resource(Diff, 'Differences between a backup and another state', job.diff),
  BackupConfiguration: resource(BackupConfiguration, 'What surrounded the documents of a backup', backupConfiguration),
  ConfigurationDiff: resource(ConfigurationDiff, 'What differs between two configurations', configurationDiff),
  ConfigurationRestore: resource(ConfigurationRestore, 'What a restore of a configuration does', configurationRestore),
  FoundDocuments: resource(FoundDocuments, 'What a search of a backup found', foundDocuments),
  LocatedDocument: resource(LocatedDocument, 'Where a document exists', locatedDocument),
  DocumentInBackup: resource(DocumentInBackup, 'What a backup says about a document', documentInBackup),
  CapturedDocumentChange: resource(CapturedDocumentChange, 'A captured version of a document, or its deletion', documentChange),
  DeletedDocument: resource(DeletedDocument, 'A document that was deleted', deletedDocument),
  DeletedDocuments: resource(DeletedDocuments, 'Documents that were deleted lately', deletedDocuments),
  RestorePlan: resource(JobPlan, 'What a restore will do', job.restoreJob.plan as z.output<typeof JobPlan>),
  Restore: resource(RestoreJob, 'A restore with its phase and progress', job.restoreJob),
  Export: resource(Export, 'An export of a backup or a moment', job.exportJob),
  ExportFile: resource(ExportFile, 'A file of an export', job.exportFile),
  ExportContent: resource(ExportContent, 'A piece of a file of an export', job.exportContent),
  ExportPlan: resource(ExportPlan, 'What an export would write', job.exportPlan),
  RestoreDryRun: resource(DryRun, 'What a restore would do', job.dryRun),
  RestoreSummary: resource(RestoreHistory, 'A restore in the history', job.restoreHistory),
  ScheduleOutcome: resource(ScheduleOutcome, 'How the last run of a schedule ended', account.schedule.lastOutcome as never),
  RestoreTest: resource(RestoreTest, 'A plan of restore tests', restoreTest),
  RestoreTestRun: resource(RestoreTestRun, 'A restore test of one project', restoreTestRun),
  RestoreTestDifference: resource(Difference, 'A difference that a restore test found', difference),
  RestoreTestComparison: resource(Comparison, 'How much a restore test compared with what', comparison),
  StartedRestoreTest: resource(restoreTests.run.data, 'The runs that were started', {
    restoreTestId: restoreTest.id,
    runId: restoreTestRun.id,
    runs: [restoreTestRun],
    skipped: [],
  }),
  Schedule: resource(Schedule, 'Automatic backups of a project', account.schedule),
  Webhook: view(Webhook, 'A webhook without its secret', webhook),
  WebhookWithSecret: resource(WebhookWithSecret, 'A webhook; its secret is masked unless it is new', webhook),
  WebhookState: view(webhooks.toggle.data, 'Whether a webhook is enabled', webhook),
  WebhookEvent: resource(WebhookEvent, 'An event that webhooks can subscribe to', hook.webhookEvent),
  WebhookTest: resource(webhooks.test.data, 'The outcome of sending a sample event', {
    webhookId: webhook.id,
    webhookName: webhook.name,
    event: 'backup.completed',
    url: webhook.url,
    success: true,
    statusCode: 204,
    duration: 87,
    deliveryId: delivery.id,
  }),
  Delivery: resource(Delivery, 'The delivery of an event to a webhook', delivery),
  DeliveryList: resource(webhooks.deliveries.data, 'Deliveries of a webhook', { deliveries: [delivery] }),
  DeliveryRequest: resource(DeliveryRequest, 'The request of an attempt, as sent', hook.deliveryRequest),
  RetriedDelivery: resource(webhooks.retry.data, 'A delivery that is sent again', {
    deliveryId: delivery.id,
    status: 'attempting',
  }),
  WebhookReplay: resource(webhooks.replay.data, 'A replay of events', {
    webhookId: webhook.id,
    from: '2026-01-30T00:00:00.000Z',
    to: '2026-01-31T23:59:59.999Z',
    events: ['backup.*', 'restore.failed'],
    status: 'failed',
  }),
  Alert: resource(Alert, 'A channel that reports incidents', alert),
  AlertTest: resource(AlertTest, 'The outcome of sending a test message', alertTest),
  AlertDelivery: resource(AlertDelivery, 'A message of an alert', alertDelivery),
  AlertDeliveryList: resource(alerts.deliveries.data, 'Messages of an alert', { deliveries: [alertDelivery] }),
  RetriedAlertDelivery: resource(alerts.retry.data, 'A message that is sent again', {
    deliveryId: alertDelivery.id,
    status: 'attempting',
  }),
  AlertDigest: resource(AlertDigest, 'The weekly digest', alertDigest),
  DigestProject: resource(DigestProject, 'A project in the weekly digest', digestProject),
  Incident: resource(Incident, 'Something that failed, from the first failure to its recovery', incident),
  IncidentEntry: resource(IncidentEntry, 'One entry of the timeline of an incident', incidentOpening),
  IncidentWithTimeline: resource(
    IncidentWithTimeline,
    'An incident and what happened to it, the oldest first',
    incidentWithTimeline,
  ),
  RestoreTestEvidence: resource(SignedEvidence, 'The signed evidence of a restore test', evidenceExample),
  RestoreTestReport: resource(RestoreTestReport, 'All restore tests of a period', reportExample),
  RestoreTestReportFile: resource(RestoreTestReportFile, 'All restore tests of a period, as JSON', {
    success: true,
    data: reportExample,
  }),
  ProtectionReport: resource(ProtectionReport, 'What an auditor asks of a period', protectionReportExample),
  ProtectionReportFile: resource(ProtectionReportFile, 'What an auditor asks of a period, as JSON', {
    success: true,
    data: protectionReportExample,
  }),
  AuditEntry: resource(AuditEntry, 'Who did what, when and from where', account.auditEntryExample),
  ProjectOverview: resource(ProjectOverview, 'Whether a project is protected now', firstProject),
  Attention: resource(Attention, 'Something that needs attention', attention),
  FailedJob: resource(FailedJob, 'A backup or restore that failed', failed),
  HistoryDay: resource(HistoryDay, 'Backups, storage and documents of a day', day),
  Overview: resource(Overview, 'The protection of all projects at a glance', job.overviewExample),
  Health: resource(Health, 'Health of the service', { ...health, success: true, data: health }),
};
