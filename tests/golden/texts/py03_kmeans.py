# Lloyd's algorithm with k-means++ seeding, NumPy only.
import numpy as np


def seed_centers(points, k, rng):
    n = len(points)
    centers = [points[rng.integers(n)]]
    distance = np.full(n, np.inf)
    while len(centers) < k:
        delta = points - centers[-1]
        distance = np.minimum(distance, np.einsum("ij,ij->i", delta, delta))
        weights = distance / distance.sum()
        centers.append(points[rng.choice(n, p=weights)])
    return np.array(centers)


def kmeans(points, k, max_iter=100, tol=1e-6, seed=None):
    """Return (centers, labels, inertia).

    points has shape (n, d); an empty cluster is re-seeded with the point
    that is farthest from its current center.
    """
    points = np.asarray(points, dtype=np.float64)
    if points.ndim != 2:
        raise ValueError(f"expected a 2-D array, got shape {points.shape}")
    rng = np.random.default_rng(seed)
    centers = seed_centers(points, k, rng)

    previous = np.inf
    for _ in range(max_iter):
        squared = ((points[:, None, :] - centers[None, :, :]) ** 2).sum(axis=2)
        labels = squared.argmin(axis=1)
        nearest = squared[np.arange(len(points)), labels]
        inertia = nearest.sum()

        for j in range(k):
            members = points[labels == j]
            if len(members) == 0:
                centers[j] = points[nearest.argmax()]
            else:
                centers[j] = members.mean(axis=0)

        if previous - inertia <= tol * max(inertia, 1.0):
            break
        previous = inertia

