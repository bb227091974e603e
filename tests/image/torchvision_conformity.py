"""Compares the image transforms with torchvision and Pillow on the same images.

usage: torchvision_conformity.py PATH-OF-image_conformity
Exits with 77 (skipped, for ctest) where torchvision or Pillow is missing.
"""
import io
import subprocess
import sys
from unittest import mock

try:
    import numpy as np
    import torch
    import torchvision
    from PIL import Image
    from torchvision.transforms import functional as F
    from torchvision.transforms import functional_tensor
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

TOOL = sys.argv[1]
failures = []


def tool(data, *words):
    done = subprocess.run([TOOL, *map(str, words)], input=data, capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{words}: {done.stderr.decode()}")
    return done.stdout


def texture(height, width, seed=1):
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width]
    waves = np.stack([np.sin(x * 0.11 + c) * np.cos(y * 0.07 * (c + 1)) for c in range(3)], axis=-1)
    return np.clip(128 + 90 * waves + rng.normal(0, 30, waves.shape), 0, 255).astype(np.uint8)


def expect_close(what, ours, theirs, most, share):
    """`most`: largest difference in grey levels; `share`: of the values that may differ at all."""
    if ours.shape != theirs.shape:
        failures.append(f"{what}: shape {ours.shape}, torchvision {theirs.shape}")
        return
    difference = np.abs(ours.astype(int) - theirs.astype(int))
    differing = np.mean(difference != 0)
    print(f"{what}: largest difference {difference.max()}, differing {differing:.6f}")
    if difference.max() > most or differing > share:
        failures.append(what)


def to_chw(image):
    return torch.from_numpy(image).permute(2, 0, 1).contiguous()


def to_hwc(tensor):
    return tensor.permute(1, 2, 0).numpy()


def compare_resize():
    sizes = [((375, 500), (224, 224)), ((100, 80), (224, 224)), ((333, 77), (64, 150)), ((500, 375), [256]),
             ((64, 64), (64, 64)), ((31, 400), [20]), ((7, 5), (1, 1)), ((480, 640), (48, 64))]
    for (height, width), size in sizes:
        image = texture(height, width)
        for antialias in (False, True):
            theirs = to_hwc(F.resize(to_chw(image), list(size), antialias=antialias))
            asked = (size[0], size[1] if len(size) == 2 else 0)
            ours = tool(image.tobytes(), "resize", height, width, *asked, int(antialias))
            ours = np.frombuffer(ours, np.uint8).reshape(theirs.shape)
            # Values halfway between two grey levels may fall to either side.
            expect_close(f"resize {height}x{width} to {size} antialias {antialias}", ours, theirs, 1, 0.001)


def compare_center_crop():
    for (height, width), size in [((375, 500), (224, 224)), ((225, 227), (224, 224)), ((50, 301), (64, 100)),
                                  ((10, 11), (33, 14))]:
        image = texture(height, width)
        theirs = to_hwc(F.center_crop(to_chw(image), list(size)))
        ours = np.frombuffer(tool(image.tobytes(), "center", height, width, *size), np.uint8)
        expect_close(f"center crop {height}x{width} to {size}", ours.reshape(theirs.shape), theirs, 0, 0)


def adjust_hue(tensor, hue):
    """As torchvision 0.15 and later; 0.14 loses a grey level on the way back from float."""
    hsv = functional_tensor._rgb2hsv(tensor.to(torch.float32) / 255)
    hsv[0] = (hsv[0] + hue) % 1.0
    return F.convert_image_dtype(functional_tensor._hsv2rgb(hsv), torch.uint8)


def compare_color():
    image = texture(120, 90)
    cases = [(1.3, 1, 1, 0), (0.4, 1, 1, 0), (1, 1.7, 1, 0), (1, 0.3, 1, 0), (1, 1, 1.9, 0), (1, 1, 0.2, 0),
             (1, 1, 1, 0.2), (1, 1, 1, -0.37), (0.8, 1.2, 0.7, 0.1)]
    for brightness, contrast, saturation, hue in cases:
        tensor = to_chw(image)
        tensor = F.adjust_brightness(tensor, brightness) if brightness != 1 else tensor
        tensor = F.adjust_contrast(tensor, contrast) if contrast != 1 else tensor
        tensor = F.adjust_saturation(tensor, saturation) if saturation != 1 else tensor
        tensor = adjust_hue(tensor, hue) if hue != 0 else tensor
        ours = tool(image.tobytes(), "color", 120, 90, brightness, contrast, saturation, hue)
        ours = np.frombuffer(ours, np.uint8).reshape(image.shape)
        name = f"color {brightness} {contrast} {saturation} {hue}"
        expect_close(name, ours, to_hwc(tensor), 1, 0.001)


def compare_decode():
    image = Image.fromarray(texture(187, 251))
    kinds = {"4:2:0": dict(format="JPEG", subsampling=2), "4:2:2": dict(format="JPEG", subsampling=1),
             "4:4:4": dict(format="JPEG", subsampling=0), "progressive": dict(format="JPEG", progressive=True),
             "png": dict(format="PNG")}
    pictures = [(name, image, how) for name, how in kinds.items()]
    pictures += [("grey jpeg", image.convert("L"), dict(format="JPEG")),
                 ("cmyk jpeg", image.convert("CMYK"), dict(format="JPEG")),
                 ("grey png", image.convert("L"), dict(format="PNG")),
                 ("1 bit png", image.convert("1"), dict(format="PNG")),
                 ("palette png", image.convert("P"), dict(format="PNG")),
                 ("alpha png", image.convert("RGBA"), dict(format="PNG"))]
    for name, picture, how in pictures:
        encoded = io.BytesIO()
        picture.save(encoded, quality=90, **how) if how["format"] == "JPEG" else picture.save(encoded, **how)
        theirs = np.asarray(Image.open(io.BytesIO(encoded.getvalue())).convert("RGB"))
        ours = np.frombuffer(tool(encoded.getvalue(), "decode"), np.uint8).reshape(theirs.shape)
        expect_close(f"decode {name}", ours, theirs, 0, 0)


class OurRng:
    """Our generator, so that torchvision's own crop algorithm can be fed the same draws."""
    MASK, STEP = 2**64 - 1, 0x9E3779B97F4A7C15

    def __init__(self, seed):
        mixed = self.mix(self.mix(self.mix(seed + self.STEP)) + 1)
        self.state = mixed

    def mix(self, z):
        z &= self.MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & self.MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & self.MASK
        return z ^ (z >> 31)

    def next(self):
        self.state = (self.state + self.STEP) & self.MASK
        return self.mix(self.state)

    def empty(self, *_):
        return self

    def uniform_(self, low, high):
        low, high = float(low), float(high)
        return torch.tensor([low + (high - low) * ((self.next() >> 11) * 2.0**-53)], dtype=torch.float64)

    def randint(self, low, high, size):
        return torch.tensor([(self.next() * high) >> 64])


def compare_boxes():
    crop = torchvision.transforms.RandomResizedCrop(224)
    for height, width in [(375, 500), (500, 333), (20, 400), (5, 7), (3, 90)]:
        lines = tool(b"", "boxes", height, width, 500).decode().splitlines()
        different = 0
        for seed, line in enumerate(lines):
            rng = OurRng(seed)
            with mock.patch("torch.empty", rng.empty), mock.patch("torch.randint", rng.randint):
                box = crop.get_params(torch.zeros(3, height, width), crop.scale, crop.ratio)
            different += list(map(int, line.split())) != list(map(int, box))
        print(f"boxes of {height}x{width}: {different} of {len(lines)} differ")
        if different > 2:  # torchvision takes the logarithm of the ratio in single precision
            failures.append(f"boxes of {height}x{width}")


torch.set_num_threads(1)
compare_resize()
compare_center_crop()
compare_color()
compare_decode()
compare_boxes()
if failures:
    print("DIFFERS:", *failures, sep="\n  ")
    sys.exit(1)
