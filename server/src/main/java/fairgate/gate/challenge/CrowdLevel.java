package fairgate.gate.challenge;

/// From how many challenges a second on, proof of work is how many times as dear.
public record CrowdLevel(int perSecond, int factor) {}
