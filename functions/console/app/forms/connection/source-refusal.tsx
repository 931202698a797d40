import type { ReactNode } from 'react';
import { ApiFailure } from '../../../../../shared/client/index.ts';
import { CodeBlock } from '../../ui/data/code-block.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { grantCommand } from './grant-command.ts';

interface SourceRefusalProps {
  readonly error: unknown;
  readonly title?: string;
  readonly shownFields?: readonly string[];
  readonly sourceProjectId: string;
  /** Whether the form offers the consent of Google, and a further attempt. */
  readonly isForm?: boolean;
  readonly actions?: ReactNode;
}

interface Refused {
  readonly role?: string;
  readonly account?: string;
  readonly authorizationUrl?: string;
}

const detailsOf = (error: unknown): Refused =>
  error instanceof ApiFailure && error.code === 'SOURCE_AUTH_ERROR' ? error.details : {};

/** Whether the person's consent is missing or was withdrawn. An account that lacks a role needs the role, not a consent. */
export const needsConsent = (error: unknown): boolean => {
  const { authorizationUrl, role } = detailsOf(error);
  return authorizationUrl !== undefined && role === undefined;
};

/** Why the source was not readable, with the steps that fix it. */
export const SourceRefusal = ({
  error,
  title,
  shownFields = [],
  sourceProjectId,
  isForm = false,
  actions,
}: SourceRefusalProps) => {
  const { role, account } = detailsOf(error);
  const advice = needsConsent(error)
    ? 'Allow access with Google. You come back to this page afterwards.'
    : role && 'Have the role granted, then check again.';
  return (
    <div className="stack">
      <ErrorNotice error={error} shownFields={shownFields} {...(title && { title })} {...(isForm && advice && { advice })} />
      {role && account && (
        <div className="stack stack--tight">
          <p>
            <strong className="wrap-anywhere">{account}</strong> lacks a role on <code>{sourceProjectId}</code>. Someone who
            manages that Google Cloud project grants it with:
          </p>
          <CodeBlock label="Command that grants access" code={grantCommand(sourceProjectId, account, role)} />
        </div>
      )}
      {actions}
    </div>
  );
};
