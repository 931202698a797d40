import { useDebounced } from '../../api/use-debounced.ts';
import { useWorkloadIdentity } from '../../data/projects.ts';
import { CodeBlock } from '../../ui/data/code-block.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { type KeylessSetup, setupQuery } from './keyless.ts';

interface KeylessCommandsProps {
  readonly setup: KeylessSetup;
  /** What a person has to enter before there are commands. */
  readonly missing: string | undefined;
}

/** The three commands that let Google trust this organization. */
export const KeylessCommands = ({ setup, missing }: KeylessCommandsProps) => {
  const query = setupQuery(missing === undefined ? setup : { ...setup, sourceProjectId: '' });
  const { data, error, refetch } = useWorkloadIdentity(useDebounced(query) ?? query);
  if (missing !== undefined) return <p className="secondary">{missing}</p>;
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <SkeletonText lines={6} />;
  return (
    <>
      <p className="secondary">
        Paste these into a terminal with gcloud, or into the Cloud Shell. Google then trusts this service for your organization
        only. No key is created, so none can leak or expire.
        {setup.bucket !== undefined && ' If the project has the pool already, only the last command is needed.'}
      </p>
      <ol className="steps">
        {data.commands.map(({ title, command }) => (
          <li key={title}>
            <div className="wrap-anywhere">{title}.</div>
            <CodeBlock label={`Command: ${title}`} code={command} />
          </li>
        ))}
      </ol>
      <p className="small muted">Google applies them within about five minutes. Then check the access with the button below.</p>
    </>
  );
};
