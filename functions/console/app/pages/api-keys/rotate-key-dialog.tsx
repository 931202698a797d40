import { type ApiKey, useRotateApiKey } from '../../data/api-keys.ts';
import { RotateDialog } from '../../parts/rotate-dialog.tsx';
import { ApiKeyDialog } from './api-key-dialog.tsx';

interface RotateKeyDialogProps {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}

export const RotateKeyDialog = ({ apiKey: { id, name }, onClose }: RotateKeyDialogProps) => {
  const rotate = useRotateApiKey(id);
  if (rotate.data) return <ApiKeyDialog title={`The new key of ${name}`} apiKey={rotate.data.apiKey} onClose={onClose} />;
  return (
    <RotateDialog
      title={`Rotate the API key ${name}`}
      description="A new key is made, with as long a life as the old one had. The old one keeps working for a while, so that you can replace it everywhere."
      what="key"
      overlap="The old key also works"
      stopNow="Stop the old key now"
      rotate={rotate}
      onClose={onClose}
    />
  );
};
