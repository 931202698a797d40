import { useRotateSecret } from '../../data/webhooks.ts';
import { RotateDialog } from '../../parts/rotate-dialog.tsx';
import { WebhookSecret } from './webhook-secret.tsx';

interface RotateSecretDialogProps {
  readonly webhookId: string;
  readonly onClose: () => void;
}

export const RotateSecretDialog = ({ webhookId, onClose }: RotateSecretDialogProps) => {
  const rotate = useRotateSecret(webhookId);
  if (rotate.data?.secret) return <WebhookSecret title="The new secret" secret={rotate.data.secret} onClose={onClose} />;
  return (
    <RotateDialog
      title="Rotate the signing secret"
      description="Requests carry signatures of both secrets for a while, so that your endpoint accepts them throughout."
      what="secret"
      overlap="The old secret also signs"
      stopNow="Stop signing with the old secret now"
      rotate={rotate}
      onClose={onClose}
    />
  );
};
