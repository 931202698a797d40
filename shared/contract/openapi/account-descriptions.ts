/** Descriptions of storage destinations, webhooks, sign-in, organizations, encryption, audit log and health. */
import * as z from 'zod';
import { auditLogs } from '../endpoints/audit-logs.ts';
import { auth, TokenSet } from '../endpoints/auth.ts';
import { encryption } from '../endpoints/encryption.ts';
import { Deletion, Organization, organizations, Statistics } from '../endpoints/organizations.ts';
import { ServiceAccount } from '../endpoints/service-account.ts';
import { StorageTest, storageFields } from '../endpoints/storage-destinations.ts';
import { Health } from '../endpoints/system.ts';
import { webhooks } from '../endpoints/webhooks.ts';
import { simpleEvents } from '../events/simple-events.ts';
import { Encryption } from '../models/encryption.ts';
import { Invitation } from '../models/invitation.ts';
import { Member } from '../models/member.ts';
import { StorageDestination } from '../models/storage-destination.ts';
import { Delivery, DeliveryRequest, Webhook, WebhookWithSecret, webhookFields } from '../models/webhook.ts';
import { type FieldTexts, fieldTexts } from './field-texts.ts';

export const accountDescriptions: readonly FieldTexts[] = [
  fieldTexts(StorageDestination, {
    credentials: 'Secrets are masked',
    externalId: 'The ExternalId that the trust policy of your role must require',
    sse: 'Server-side encryption of new objects; null uses the default of the bucket',
  }),
  fieldTexts(StorageTest, { duration: 'Milliseconds' }),
  fieldTexts(z.object(storageFields), {
    endpoint: 'Endpoint of an S3-compatible store; https with a public address',
    immutable: 'Objects in the bucket cannot be deleted, so deletion is never attempted',
    objectLock: 's3 only; requires a bucket with Object Lock',
    sse: 's3 and spaces only: server-side encryption of new objects; null uses the default of the bucket',
    sseKmsKeyId: 'Only with sse aws:kms; defaults to the default key of the account',
  }),
  fieldTexts(Webhook, {
    headers: 'Values that look like credentials are masked',
    timeout: 'Milliseconds',
    disabledReason: 'Why the service disabled the webhook',
  }),
  fieldTexts(WebhookWithSecret, {
    secret: 'Masked, except in the response that created it. Null if a simple webhook has no secret',
    previousSecretExpiresAt: 'Until then, deliveries are also signed with the previous secret',
  }),
  fieldTexts(Delivery, {
    statusCode: 'Status of the last attempt; null without a response',
    timestamp: 'When the event happened',
    duration: 'Milliseconds of the last attempt',
    test: 'The delivery was sent by a test',
  }),
  fieldTexts(DeliveryRequest, {
    headers: 'As sent. Signatures and values that look like credentials are masked',
    body: 'Exactly as sent',
  }),
  fieldTexts(z.object(webhookFields), {
    events: 'Exact names, a prefix such as backup.*, or *',
    secret: 'Null removes the secret of a simple webhook',
    headers: 'Sent with every delivery',
    timeout: 'Milliseconds for one request',
    retryEnabled: 'Whether failed deliveries in the standard format are retried',
    filters: 'Limits events to projects, and to or without backup triggers. An empty list is no filter',
  }),
  fieldTexts(webhooks.test.body, { event: 'Event name; defaults to the first event that the webhook subscribes to' }),
  fieldTexts(webhooks.test.data, { statusCode: 'Null without a response', duration: 'Milliseconds' }),
  fieldTexts(webhooks.replay.body, {
    events: 'Only these of the subscribed events',
    status: 'missing: events that were never sent because the webhook was disabled or did not exist',
  }),
  fieldTexts(simpleEvents['backup.completed'], {
    originalSize: 'Bytes',
    compressedSize: 'Stored bytes',
    duration: 'Seconds',
  }),
  fieldTexts(TokenSet, {
    accessToken: 'JWT (RS256); verify it with the keys at /.well-known/jwks.json',
    refreshToken: 'Opaque; valid once, for 7 days',
    expiresIn: 'Lifetime of the access token in seconds',
  }),
  fieldTexts(auth.google.query, {
    redirect_uri: 'Receives the one-time code; must exactly match an entry of the allow-list',
    login_hint: 'Passed to the identity provider: the account to sign in with',
  }),
  fieldTexts(auth.refresh.body, { refreshToken: 'Required unless the session cookie carries it' }),
  fieldTexts(Organization, { role: 'Role of the caller' }),
  fieldTexts(Statistics, { storageUsed: 'Bytes' }),
  fieldTexts(Deletion, {
    recoveryDeadline: 'Until then the owner can recover the organization; null if it is deleted permanently',
  }),
  fieldTexts(organizations.update.body.shape.settings.unwrap(), { timezone: 'IANA time zone' }),
  fieldTexts(organizations.remove.body, {
    confirmName: 'Exact name of the organization',
    deleteBackupData: 'With force: also delete the objects in your buckets',
  }),
  fieldTexts(Member, { lastActiveAt: 'Equals joinedAt until the member is active for the first time' }),
  fieldTexts(Invitation, { acceptUrl: 'The link in the invitation e-mail' }),
  fieldTexts(ServiceAccount, {
    email: 'Identity of the account in audit logs',
    apiKey: 'Shown only in this response',
  }),
  fieldTexts(Encryption, {
    mode: 'customer: the data keys of backups are wrapped with your passphrase',
    rewrap: 'Whether data keys of earlier backups are still being rewrapped',
  }),
  fieldTexts(encryption.set.body, {
    passphrase: 'With customer: at least 8 characters. Keep it safe: without it the backups cannot be decrypted',
  }),
  fieldTexts(auditLogs.list.query, {
    from: 'Inclusive; a date means midnight UTC',
    to: 'Inclusive; a date means the whole day, UTC',
  }),
  fieldTexts(Health.shape.checks.unwrap(), {
    redis: 'The work queue; the name is historical',
    storage: 'Data at rest: its key is reachable and its stream is enabled',
  }),
];
