import { useState } from 'react';
import { useRotateSecret } from '../../data/webhooks.ts';
import { defaultOverlapHours, OverlapSelect } from '../../parts/overlap-select.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import { SecretNotice } from './secret-notice.tsx';

interface RotateSecretDialogProps {
  readonly webhookId: string;
  readonly onClose: () => void;
}

export const RotateSecretDialog = ({ webhookId, onClose }: RotateSecretDialogProps) => {
  const rotate = useRotateSecret(webhookId);
  const [hours, setHours] = useState(defaultOverlapHours);
  if (rotate.data?.secret) return <SecretNotice title="The new secret" secret={rotate.data.secret} onClose={onClose} />;
  return (
    <Dialog
      open
      stays={rotate.isPending}
      onClose={onClose}
      title="Rotate the signing secret"
      description="Requests carry signatures of both secrets for a while, so that your endpoint accepts them throughout."
      actions={
        <>
          <Button onClick={onClose} disabledReason={rotate.isPending ? 'The secret is being created' : undefined}>
            Cancel
          </Button>
          <Button variant="primary" busy={rotate.isPending} onClick={() => rotate.mutate(hours)}>
            Rotate secret
          </Button>
        </>
      }
    >
      <div className="stack">
        <OverlapSelect
          label="The old secret also signs"
          stopNow="Stop signing with the old secret now"
          hours={hours}
          onChange={setHours}
        />
        {rotate.error && <ErrorNotice error={rotate.error} />}
      </div>
    </Dialog>
  );
};
