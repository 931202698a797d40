import type { AlertKind } from '../../contract/models/alert-enums.ts';
import type { AlertFact } from '../message/index.ts';
import type { IncidentRecord, Subject } from '../model/record.ts';

/** Something has failed. */
export interface FailureSignal extends Pick<IncidentRecord, 'project' | 'scheduleId' | 'coveredBy' | 'locks'> {
  readonly state: 'failed';
  readonly kind: AlertKind;
  readonly subject: Subject;
  readonly at: string;
  /** Identifies the failure: a repeated signal neither opens an incident again nor is counted twice. */
  readonly source: string;
  /** Something else than what the open incident has reported: it is sent at once, as a reminder. */
  readonly isNews?: boolean;
  /** Names the problem instead of the kind. */
  readonly heading?: string;
  readonly message: string;
  /** What was found; the timeline lists the first ones. */
  readonly findings?: readonly string[];
  readonly facts: readonly AlertFact[];
  readonly page: string;
}

/** It works again, or no longer exists. */
export interface RecoverySignal {
  readonly state: 'recovered';
  readonly kind: AlertKind;
  readonly subjectId: string;
  readonly at: string;
  readonly message: string;
  readonly scheduleId?: string | undefined;
}

export type Signal = FailureSignal | RecoverySignal;

const titles: Readonly<Record<AlertKind, string>> = {
  backup_failed: 'Backup failed',
  schedule_failed: 'Schedule failed',
  schedule_overdue: 'Schedule overdue',
  destination_error: 'Storage destination in error',
  restore_failed: 'Restore failed',
  capture_stalled: 'Capture stalled',
  capture_diverged: 'Captured documents differ from the source',
  webhook_failing: 'Webhook failing',
  webhook_disabled: 'Webhook disabled',
  verification_failed: 'Verification failed',
  lock_problem: 'Backup not immutable as promised',
  anomaly: 'Unusual changes',
  restore_test_failed: 'Restore test failed',
  protection_lapsed: 'Protection lapsed',
  api_key_expiring: 'API key about to expire',
};

/** Names the problem without its state. */
export const titleOf = ({
  kind,
  subject,
  project,
  heading = titles[kind],
}: Pick<FailureSignal, 'kind' | 'subject' | 'project' | 'heading'>): string =>
  `${heading}: ${(subject.type === 'backup' ? project?.name : subject.name) ?? subject.id}`;

interface ObjectFinding {
  readonly object: string;
  readonly message: string;
}

export const findingText = ({ object, message }: ObjectFinding): string => `${object}: ${message}`;
