/** Checks the fields of an alert against its channel, the network and the organization's projects. */
import type * as z from 'zod/mini';
import { checkAll, invalid } from '../../contract/errors.ts';
import type { alertFields } from '../../contract/models/alert.ts';
import type { AlertChannel } from '../../contract/models/alert-enums.ts';
import { isMasked, type Tenant } from '../../platform/index.ts';
import { assertProjects } from '../../project/index.ts';
import { checkUrl, checkUrlText } from '../../webhook/index.ts';
import { pagerDutyUrl } from '../message/index.ts';
import type { AlertRecord } from '../model/record.ts';

type Fields = z.output<z.ZodMiniObject<typeof alertFields>>;
export type AlertInput = { readonly [K in keyof Fields]?: Fields[K] | undefined };

type ChannelField = 'recipients' | 'url' | 'routingKey' | 'digest';

/** The fields that only some channels have. */
const channelFields: Readonly<Record<AlertChannel, readonly ChannelField[]>> = {
  email: ['recipients', 'digest'],
  slack: ['url'],
  teams: ['url'],
  discord: ['url'],
  pagerduty: ['url', 'routingKey'],
};

const required: Readonly<Record<AlertChannel, ChannelField | undefined>> = {
  email: undefined,
  slack: 'url',
  teams: 'url',
  discord: 'url',
  pagerduty: 'routingKey',
};

/** Throws VALIDATION_ERROR that names the field. Makes no calls. */
export const checkAlertInput = (given: AlertInput, record?: Pick<AlertRecord, 'channel' | 'shownUrl'>): void => {
  const channel = record?.channel ?? given.channel;
  checkAll(
    () => {
      if (record && given.channel !== undefined && given.channel !== record.channel)
        throw invalid('channel', 'cannot be changed; create another alert');
    },
    ...(channel ? channelChecks(given, channel, record === undefined) : []),
    () => given.url !== undefined && checkUrlText(given.url),
    () => {
      if (given.routingKey !== undefined && isMasked(given.routingKey))
        throw invalid('routingKey', 'is the masked value; send the actual key');
    },
    () => record?.channel === 'pagerduty' && checkKeyStays(given, record),
  );
};

/** The key is part of every request, so that another host would learn the stored one, which is never shown. */
const checkKeyStays = ({ url, routingKey }: AlertInput, { shownUrl = pagerDutyUrl }: Pick<AlertRecord, 'shownUrl'>): void => {
  if (url === undefined || routingKey !== undefined || !URL.canParse(url)) return;
  const { origin, hostname } = new URL(url);
  if (origin !== new URL(shownUrl).origin && !hostname.endsWith('.pagerduty.com'))
    throw invalid('routingKey', 'is required with a URL of another host: the stored key is not sent there');
};

const channelChecks = (given: AlertInput, channel: AlertChannel, isNew: boolean): readonly (() => void)[] => [
  ...(['recipients', 'url', 'routingKey', 'digest'] as const).map((field) => () => {
    // An alert of another channel has no digest, so that saying so is right.
    const isGiven = given[field] !== undefined && !(field === 'digest' && given.digest === false);
    if (isGiven && !channelFields[channel].includes(field))
      throw invalid(field, `is not a field of the channel ${channel}`, { channel, allowedFields: channelFields[channel] });
  }),
  () => {
    const field = required[channel];
    if (isNew && field && given[field] === undefined) throw invalid(field, `is required for the channel ${channel}`);
  },
];

/** The checks that need DNS or the table. */
export const checkAddressAndProjects = async (
  tenant: Tenant,
  { url, projectIds }: AlertInput,
  record?: AlertRecord,
): Promise<void> => {
  if (url !== undefined) await checkUrl(url);
  await assertProjects(tenant, projectIds, record?.projectIds);
};

const distinct = <T>(values: readonly T[]): readonly T[] => [...new Set(values)];

/** The given fields as the record keeps them: lists without duplicates. */
export const plainAttributes = ({
  name,
  recipients,
  severity,
  projectIds,
  kinds,
  lapsedAfterHours,
  digest,
  enabled,
}: AlertInput) => ({
  name,
  recipients: typeof recipients === 'string' ? recipients : recipients && distinct(recipients),
  severity,
  projectIds: projectIds && distinct(projectIds),
  kinds: kinds && distinct(kinds),
  lapsedAfterHours,
  digest,
  enabled,
});
