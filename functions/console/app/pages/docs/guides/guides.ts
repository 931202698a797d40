import type { ComponentType } from 'react';
import type { GuideSlug } from '../model/guide-list.ts';
import { ErrorsGuide } from './errors-guide.tsx';
import { EventsGuide } from './events-guide.tsx';
import { GettingStarted } from './getting-started.tsx';
import { RateLimitsGuide } from './rate-limits-guide.tsx';
import { IdempotencyGuide, PagingGuide, RequestsGuide } from './requests-guides.tsx';
import { SigningInGuide } from './signing-in-guide.tsx';
import { VerifySignaturesGuide } from './verify-signatures-guide.tsx';
import { VersionsGuide } from './versions-guide.tsx';

export const guides: Readonly<Record<GuideSlug, ComponentType>> = {
  'getting-started': GettingStarted,
  'signing-in': SigningInGuide,
  requests: RequestsGuide,
  errors: ErrorsGuide,
  idempotency: IdempotencyGuide,
  paging: PagingGuide,
  'rate-limits': RateLimitsGuide,
  versions: VersionsGuide,
  events: EventsGuide,
  'verify-signatures': VerifySignaturesGuide,
};
