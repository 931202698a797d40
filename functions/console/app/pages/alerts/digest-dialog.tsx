import { useDigest } from '../../data/alerts.ts';
import { CodeBlock } from '../../ui/data/code-block.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';

/** The weekly digest as it would be sent now. */
export const DigestDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const { data, error, refetch } = useDigest();
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="The weekly digest"
      description="As it would be sent now. It is sent every Monday at 08:00 in the time zone of the organization, to the e-mail alerts that ask for it."
      actions={<Button onClick={onClose}>Close</Button>}
    >
      {error ? (
        <ErrorNotice error={error} title="The digest could not be loaded" onRetry={() => void refetch()} />
      ) : data ? (
        <div className="stack">
          <p>
            <strong className="wrap-anywhere">{data.subject}</strong>
          </p>
          <CodeBlock label="The text of the e-mail" code={data.text} />
        </div>
      ) : (
        <SkeletonText />
      )}
    </Dialog>
  );
};
