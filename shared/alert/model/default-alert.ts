/** Every organization starts with an alert by e-mail to its owners. It gets it once: an admin may delete it. */
import { auditNote, systemAudit } from '../../audit/index.ts';
import { type OrganizationRecord, organizationKey, whileActive } from '../../organization/index.ts';
import { commit, create, get, getAll, newIdOf, StaleReadError, type Tenant, type Write } from '../../platform/index.ts';
import { newAlert } from './new-alert.ts';
import { type AlertingRecord, type AlertRecord, alertKey } from './record.ts';

const defaultName = 'Owners by e-mail';

type Organization = Pick<OrganizationRecord, 'createdAt'>;

/**
 * For the transaction that creates an organization, or the first one afterwards that finds no marker. The alert counts as old as the
 * organization, so that it is told of what made a worker create it. `alertCount` is with the alerts that the transaction adds itself.
 */
export const defaultAlert = (
  tenant: Tenant,
  { createdAt }: Organization,
  alertCount = 1,
): { alert: AlertRecord; writes: readonly Write[] } => {
  const created = new Date(createdAt);
  const alert = newAlert(
    tenant,
    {
      id: newIdOf('alert', created),
      name: defaultName,
      channel: 'email',
      digest: true,
      isDefault: true,
      createdBy: { type: 'system', id: 'alerts', email: null },
    },
    created,
  );
  const marker: AlertingRecord = { ...alertKey.alerting(tenant), createdAt, alertCount };
  return {
    alert,
    writes: [
      create(marker, () => new StaleReadError()),
      create(alert),
      { put: { ...alertKey.due(tenant), organizationId: tenant.organizationId } },
    ],
  };
};

/** The same for an organization from before alerts existed, with an audit entry. */
export const belatedDefaultAlert = (
  tenant: Tenant,
  {
    organization,
    now,
    alertCount = 1,
  }: { readonly organization: Organization; readonly now: Date; readonly alertCount?: number | undefined },
): ReturnType<typeof defaultAlert> => {
  const { alert, writes } = defaultAlert(tenant, organization, alertCount);
  const note = auditNote(tenant, {
    type: 'alert',
    id: alert.id,
    details: { name: alert.name, channel: alert.channel, isDefault: true },
  });
  const audit = systemAudit('alerts', { action: 'alert.created', note, now });
  return { alert, writes: [...writes, whileActive(tenant), audit] };
};

/** Creates the default alert of an organization that never had one. */
export const ensureDefaultAlert = async (tenant: Tenant, now: Date): Promise<void> => {
  const [organization, marker] = await getAll([organizationKey.organization(tenant), alertKey.alerting(tenant)]);
  if (!organization || organization.deletedAt || marker) return;
  try {
    await commit(belatedDefaultAlert(tenant, { organization, now }).writes);
  } catch (error) {
    // Another worker or call has created it meanwhile.
    if (!(error instanceof StaleReadError) || !(await get(alertKey.alerting(tenant)))) throw error;
  }
};
