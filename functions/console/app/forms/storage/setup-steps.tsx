import { useMembership } from '../../api/session.ts';
import { useOrganization } from '../../data/organization.ts';
import { CodeBlock } from '../../ui/data/code-block.tsx';
import type { Provider } from './providers.ts';
import { setupGuide } from './setup-guide.ts';
import type { StorageDraft } from './storage-draft.ts';

interface SetupStepsProps {
  readonly provider: Provider;
  readonly draft: StorageDraft;
}

/** How to make the credentials of this provider. */
export const SetupSteps = ({ provider, draft }: SetupStepsProps) => {
  const { id: organizationId } = useMembership();
  const { data } = useOrganization();
  const steps = setupGuide(provider.id, draft, { organizationId, awsAccountId: data?.awsAccountId });
  if (steps.length === 0) return null;
  return (
    <details className="setup">
      <summary>How to give access to the bucket</summary>
      <ol className="steps">
        {steps.map(({ text, label, code }) => (
          <li key={text}>
            <div>{text}</div>
            {label && code && <CodeBlock label={label} code={code} />}
          </li>
        ))}
      </ol>
    </details>
  );
};
