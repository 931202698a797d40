/** Every action of the audit log, by what it concerns, so that clients can offer them as a filter. */
const names = {
  organization: ['created', 'updated', 'deleted', 'recovered'],
  member: ['joined', 'left', 'removed', 'role_changed'],
  invitation: ['created', 'accepted', 'declined', 'cancelled', 'resent'],
  service_account: ['created', 'updated', 'deleted', 'key_rotated', 'taken_over', 'ended', 'previous_key_ended'],
  api_key: ['created', 'updated', 'rotated', 'deleted', 'expired_use'],
  auth: [
    'signed_in',
    'signed_out',
    'refreshed',
    'code_issued',
    'refresh_reused',
    'code_reused',
    'device_approved',
    'device_denied',
    'device_code_reused',
    'session_revoked',
  ],
  encryption: ['changed', 'rotated'],
  project: ['created', 'updated', 'deleted', 'reconnected', 'unauthorized', 'moved'],
  storage: ['created', 'updated', 'deleted', 'tested'],
  backup: [
    'created',
    'completed',
    'failed',
    'cancelled',
    'deleted',
    'expired',
    'verified',
    'verification_passed',
    'verification_failed',
    'found_damaged',
    'objects_kept',
    'lock_incomplete',
    'anomaly_detected',
    'anomaly_acknowledged',
    'browsed',
    'compared',
    'imported',
  ],
  schedule: ['created', 'updated', 'deleted', 'triggered', 'warning'],
  restore_test: ['created', 'updated', 'deleted', 'triggered', 'cancelled', 'check_answered', 'passed', 'failed', 'missed'],
  pitr: ['enabled', 'updated', 'disabled', 'gap', 'objects_kept', 'lock_incomplete', 'diverged'],
  restore: ['created', 'planned', 'started', 'completed', 'failed', 'cancelled', 'resumed', 'undone'],
  webhook: ['created', 'updated', 'deleted', 'toggled', 'disabled', 'tested', 'secret_rotated', 'replayed', 'delivery_retried'],
  alert: ['created', 'updated', 'deleted', 'disabled', 'tested', 'delivery_retried'],
  incident: ['acknowledged', 'assigned', 'unassigned', 'muted', 'unmuted'],
  document: ['located', 'deletions_listed'],
  erasure: ['created', 'expired'],
} as const;

type Names = typeof names;
export type AuditGroup = keyof Names;
export type AuditAction = { [G in AuditGroup]: `${G}.${Names[G][number]}` }[AuditGroup];

/** As `['member', ['member.joined', …]]`. */
export const auditActions = Object.entries(names).map(
  ([group, actions]) => [group as AuditGroup, actions.map((name) => `${group}.${name}` as AuditAction)] as const,
);
