import type { Actor } from '../../audit/index.ts';
import type {
  AlertChannel,
  AlertKind,
  AlertSeverity,
  IncidentEntryType,
  recipientGroups,
  subjectTypes,
} from '../../contract/models/alert-enums.ts';
import type { attemptStatuses } from '../../contract/models/webhook-enums.ts';
import { type DeliveryRecord, deliveryKey, type EndpointRecord, type HealthRecord } from '../../delivery/index.ts';
import type { Item, Key, Tenant } from '../../platform/index.ts';
import type { AlertFact, AlertMessage } from '../message/index.ts';

export type Recipients = (typeof recipientGroups)[number] | readonly string[];

/** An alert's configuration. Its endpoint's state is in AlertHealth. */
export interface AlertRecord extends EndpointRecord {
  readonly channel: AlertChannel;
  /** Of an e-mail alert. */
  readonly recipients?: Recipients;
  /** Scheme and host of the URL; the rest is often a token. */
  readonly shownUrl?: string;
  /** The URL and the routing key, encrypted for this organization and alert. */
  readonly sealedUrl?: Uint8Array;
  readonly sealedRoutingKey?: Uint8Array;
  readonly severity: AlertSeverity;
  /** Empty lists match everything. */
  readonly projectIds: readonly string[];
  readonly kinds: readonly AlertKind[];
  readonly lapsedAfterHours: number;
  readonly digest: boolean;
  readonly isDefault: boolean;
  readonly createdBy: Actor;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface Subject {
  readonly type: (typeof subjectTypes)[number];
  readonly id: string;
  readonly name: string | null;
}

/** The backups of a project that are less protected than they should be. */
export interface LockFailures {
  /** Those for which a verification found it: each is verified again or deleted before the incident is over. The newest 1,000. */
  readonly found: readonly string[];
  /** The last one whose locks the store refused when it completed. */
  readonly last?: { readonly backupId: string; readonly storageDestinationId: string; readonly completedAt: string } | undefined;
}

/** What happened to an incident. Messages are not among them: their deliveries say what became of them. */
export interface StoredIncidentEntry {
  readonly at: string;
  readonly type: Exclude<IncidentEntryType, 'message'>;
  /** Null for what the service did by itself. */
  readonly by: Actor | null;
  readonly message: string | null;
}

/** What fails, from its first failure to its recovery. */
export interface IncidentRecord extends Item {
  readonly id: string;
  readonly kind: AlertKind;
  readonly severity: AlertSeverity;
  readonly status: 'open' | 'recovered';
  readonly title: string;
  /** The latest failure. */
  readonly failure: string;
  /** The latest failure; after the recovery, why it is over. */
  readonly message: string;
  readonly subject: Subject;
  readonly project: { readonly id: string; readonly name: string } | null;
  /** The schedule whose run failed last. */
  readonly scheduleId?: string;
  /** Alerts with this kind are told of the same failure by another incident. */
  readonly coveredBy?: AlertKind;
  /** Only of `lock_problem`. */
  readonly locks?: LockFailures | undefined;
  readonly facts: readonly AlertFact[];
  /** The page of the console that shows the cause, below its root. */
  readonly page: string;
  readonly count: number;
  /** Failures that were counted, so that a repeated signal is not counted again; at most the last 20. */
  readonly sources: readonly string[];
  readonly openedAt: string;
  readonly lastFailureAt: string;
  readonly recoveredAt: string | null;
  /** When the last opening or reminder was requested. */
  readonly remindedAt: string;
  readonly reminders: number;
  /** Whether the alerts that match were chosen. */
  readonly isTold?: boolean;
  /** Alerts that were told of it. */
  readonly alertIds: readonly string[];
  /** Who has taken notice of it. */
  readonly acknowledgement?: { readonly by: Actor; readonly at: string; readonly note: string | null };
  /** The member who takes care of it. */
  readonly assignee?: { readonly id: string; readonly email: string; readonly name: string };
  /** While it is open, no messages are sent until then. The sweep removes it afterwards. */
  readonly mutedUntil?: string;
  /** The opening and the newest entries; absent in records of earlier versions. */
  readonly timeline?: readonly StoredIncidentEntry[];
  /** Incremented by every entry: the optimistic lock of the timeline. */
  readonly revision?: number;
  /** Only of a recovered incident. */
  readonly ttl?: number;
}

/** Names the open incident of a kind and subject: there is at most one. */
export interface OpenIncident extends Item {
  readonly incidentId: string;
}

/** A message of an alert. */
export interface AlertDeliveryRecord extends DeliveryRecord {
  readonly status: (typeof attemptStatuses)[number];
  readonly alertId: string;
  /** The incident of an opening, reminder or recovery. */
  readonly incidentId?: string;
  readonly state: AlertMessage['state'] | 'digest';
  readonly kind?: AlertKind;
  readonly title: string;
  /** Absent for a digest, which is composed when it is sent. */
  readonly message?: AlertMessage;
  /** Of a digest: when it was due. */
  readonly dueAt?: string;
  /** The message that must have ended before this one is sent. */
  readonly follows?: string;
  /** What the provider answered, as it may be shown. */
  readonly response: string | null;
  /** Addresses that have got the e-mail, so that a further attempt does not repeat it. */
  readonly sentTo?: readonly string[];
}

/** The state of an alert's endpoint, in the partition of its deliveries. */
export interface AlertHealth extends HealthRecord {
  readonly lastDelivery?: {
    readonly id: string;
    readonly state: AlertDeliveryRecord['state'];
    readonly status: 'delivered' | 'failed';
    readonly at: string;
    readonly error: string | null;
  };
}

/** Exists once the organization has got its default alert, even if that was deleted since. */
export interface AlertingRecord extends Item {
  readonly createdAt: string;
  /** The number of alerts. */
  readonly alertCount: number;
  /** The week whose digest was sent last: the Monday it begins with. */
  readonly digestWeek?: string;
}

/** A message beyond the hourly limit, until it is sent with others. */
export interface HeldMessage extends Item {
  readonly alertId: string;
  /** The hour in which it was held, in epoch seconds. */
  readonly hour: number;
  readonly title: string;
  readonly state: AlertMessage['state'];
  readonly severity: AlertSeverity;
  readonly at: string;
}

export const alertPrefix = 'ALERT#';
export const removedAlertPrefix = 'REMOVED#ALERT#';
export const incidentPrefix = 'INCIDENT#';
export const openPrefix = 'OPEN#';
export const heldPrefix = 'HELD#';
/** One item per organization with alerts, for the sweep. */
export const alertingPartition = 'DUE#ALERT';

const partitionOf = ({ organizationId }: Tenant): string => `ORG#${organizationId}`;

export const alertKey = {
  alert: (tenant: Tenant, alertId: string): Key<AlertRecord> => ({ pk: partitionOf(tenant), sk: `${alertPrefix}${alertId}` }),
  /** Leads to the deliveries of a deleted alert for as long as they are kept. */
  removed: (tenant: Tenant, alertId: string): Key => ({ pk: partitionOf(tenant), sk: `${removedAlertPrefix}${alertId}` }),
  alerting: (tenant: Tenant): Key<AlertingRecord> => ({ pk: partitionOf(tenant), sk: 'ALERTING' }),
  due: ({ organizationId }: Tenant): Key => ({ pk: alertingPartition, sk: organizationId }),
  incident: (tenant: Tenant, incidentId: string): Key<IncidentRecord> => ({
    pk: partitionOf(tenant),
    sk: `${incidentPrefix}${incidentId}`,
  }),
  open: (tenant: Tenant, kind: AlertKind, subjectId: string): Key<OpenIncident> => ({
    pk: partitionOf(tenant),
    sk: `${openPrefix}${kind}#${subjectId}`,
  }),
  held: (tenant: Tenant, alertId: string, deliveryId: string): Key<HeldMessage> => ({
    pk: partitionOf(tenant),
    sk: `${heldPrefix}${alertId}#${deliveryId}`,
  }),
  /** In the partitions that webhooks use, too: senders may write nothing else. */
  delivery: deliveryKey.delivery<AlertDeliveryRecord>,
  health: deliveryKey.health<AlertHealth>,
};
