"""Trains a model: python models/train/train.py CONFIG --run NAME [--warm-start GGUF] [--steps N] [--minutes M] ...

Goes on from CACHE/runs/NAME/checkpoint.pt where there is one. Writes log.jsonl (loss in nats a token, bits a byte on
the validation packages) beside it. The learning rates fall to zero at the last step, or, with --minutes, when the time is up.
"""

import argparse
import json
import os
import time

import torch
from torch.nn import functional as F

import config as configuration
import examples
import export
import registries
from model import Linear, Llama
from vocabulary import Vocabulary

PARTS = 4  # of a batch, for which logits are held at a time


def optimisers(model, config):
    """Muon for the matrices, Adam for the embedding and the norms."""
    matrices = [module.weight for module in model.modules() if isinstance(module, Linear)]
    known = {id(weight) for weight in matrices}
    others = [weight for weight in model.parameters() if id(weight) not in known]
    return [
        torch.optim.Muon(matrices, lr=config.muon_lr, momentum=0.95, weight_decay=0.0),
        torch.optim.AdamW(others, lr=config.adam_lr, betas=(0.9, 0.95), weight_decay=0.0),
    ]


def part_loss(model, ids, weights):
    """Weighted sum of the loss over some rows."""
    with torch.autocast("cpu", torch.bfloat16):
        logits = model.logits(model(ids[:, :-1]))
    losses = F.cross_entropy(logits.flatten(0, 1).float(), ids[:, 1:].flatten(), reduction="none")
    return (losses * weights[:, 1:].flatten()).sum()


def learn(compiled, model, ids, weights):
    """Weighted mean of the loss of a batch, its gradient added; a part at a time, so that the logits stay small."""
    total = weights[:, 1:].sum().clamp(min=1)
    value = 0.0
    for part, weight in zip(ids.chunk(PARTS), weights.chunk(PARTS)):
        loss = compiled(model, part, weight) / total
        loss.backward()
        value += loss.item()
    return value


@torch.no_grad()
def validate(model, rows, vocabulary, batches):
    """Nats a token and bits a byte on plain rows of the validation packages."""
    sizes = torch.tensor([len(one) for one in vocabulary.bytes])
    nats, tokens, size = 0.0, 0.0, 0.0
    for step in range(batches):
        ids, weights = map(torch.from_numpy, rows.batch(step, 16, seed=7))
        count = weights[:, 1:].sum().item()
        nats += sum(part_loss(model, *one).item() for one in zip(ids.chunk(PARTS), weights.chunk(PARTS)))
        tokens += count
        size += (sizes[ids[:, 1:]] * (weights[:, 1:] > 0)).sum().item()
    return nats / tokens, nats / size / 0.6931471805599453


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("config")
    parser.add_argument("--run", required=True)
    parser.add_argument("--warm-start", help="GGUF whose weights the run begins with")
    parser.add_argument("--vocabulary", default="models/midline-boot-q4_0.gguf", help="GGUF with the tokenizer")
    parser.add_argument("--steps", type=int)
    parser.add_argument("--until", type=float, help="time in seconds since 1970 when the rates reach zero")
    parser.add_argument("--muon-lr", type=float)
    parser.add_argument("--adam-lr", type=float)
    parser.add_argument("--every", type=int, default=200, help="steps between checkpoints")
    options = parser.parse_args()
    config = configuration.load(options.config, steps=options.steps, muon_lr=options.muon_lr, adam_lr=options.adam_lr)
    torch.manual_seed(config.seed)
    folder = registries.CACHE / "runs" / options.run
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = Vocabulary(options.vocabulary)
    rows = examples.Rows(registries.CACHE / "tokens", "train", vocabulary, config.context)
    valid = examples.Rows(registries.CACHE / "tokens", "valid", vocabulary, config.context, plain_share=1.0)
    valid_fim = examples.Rows(registries.CACHE / "tokens", "valid", vocabulary, config.context, plain_share=0.0)
    model = Llama(config)
    if options.warm_start:
        export.load_weights(model, options.warm_start)
    both = optimisers(model, config)
    compiled = torch.compile(part_loss)
    step, begun = 0, time.time()
    checkpoint = folder / "checkpoint.pt"
    if checkpoint.exists():
        state = torch.load(checkpoint)
        model.load_state_dict(state["model"])
        for optimiser, saved in zip(both, state["optimisers"]):
            optimiser.load_state_dict(saved)
        step, begun = state["step"], state["begun"]
    rates = [config.muon_lr, config.adam_lr]

    def log(**values):
        with (folder / "log.jsonl").open("a") as out:
            out.write(json.dumps({"step": step, "time": round(time.time()), **values}) + "\n")

    def save():
        # A run may be stopped at any moment: the file is replaced as a whole.
        state = {"model": model.state_dict(), "optimisers": [one.state_dict() for one in both], "step": step,
                 "begun": begun, "config": vars(config)}
        torch.save(state, folder / "checkpoint.tmp")
        os.replace(folder / "checkpoint.tmp", checkpoint)
        (nats, bits), (fim, _) = (validate(model, one, vocabulary, 6) for one in (valid, valid_fim))
        log(valid_nats=round(nats, 4), bits_per_byte=round(bits, 4), valid_fim_nats=round(fim, 4))

    if step == 0:
        save()
    began = time.time()
    while True:
        done = (time.time() - begun) / (options.until - begun) if options.until else step / config.steps
        if done >= 1:
            break
        factor = min(1.0, (step + 1) / config.warm_up) * min(1.0, (1 - done) / (1 - config.decay_from))
        for optimiser, rate in zip(both, rates):
            optimiser.param_groups[0]["lr"] = rate * factor
        model.quantise(done >= config.quantised_from)
        ids, weights = map(torch.from_numpy, rows.batch(step, config.batch, config.seed))
        loss = learn(compiled, model, ids, weights)
        torch.nn.utils.clip_grad_norm_(both[1].param_groups[0]["params"], 1.0)
        for optimiser in both:
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
        step += 1
        if step % 20 == 0:
            log(loss=round(loss, 4), rate=round(factor, 4), tokens_per_s=round(20 * config.batch * config.context / (time.time() - began)))
            began = time.time()
        if step % options.every == 0:
            save()
            began = time.time()
    model.quantise(True)
    save()


if __name__ == "__main__":
    main()
