"""accelerate and lightning, each with a DataLoader's workers."""
# needs: torch accelerate lightning
# args: accelerate
# args: lightning
import sys
import tempfile

import torch
from torch.utils.data import DataLoader, TensorDataset


def loader():
    return DataLoader(TensorDataset(torch.randn(64, 8), torch.randn(64, 1)), batch_size=8, num_workers=2)


def use_accelerate():
    from accelerate import Accelerator
    accelerator = Accelerator(cpu=True)
    model = torch.nn.Linear(8, 1)
    model, optimizer, batches = accelerator.prepare(model, torch.optim.SGD(model.parameters(), lr=0.01), loader())
    for features, labels in batches:
        accelerator.backward((model(features) - labels).square().mean())
        optimizer.step()


def use_lightning():
    import lightning

    class Line(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.line = torch.nn.Linear(8, 1)

        def training_step(self, batch, _):
            return (self.line(batch[0]) - batch[1]).square().mean()

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.01)

    with tempfile.TemporaryDirectory() as place:
        lightning.Trainer(max_epochs=2, accelerator="cpu", devices=1, logger=False, enable_checkpointing=False,
                          enable_progress_bar=False, default_root_dir=place).fit(Line(), loader())


if __name__ == "__main__":
    globals()[f"use_{sys.argv[1]}"]()
    print("trained")
