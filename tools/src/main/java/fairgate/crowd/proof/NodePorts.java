package fairgate.crowd.proof;

import java.util.List;
import java.util.random.RandomGenerator;

/// The ports of the server's nodes, all on this machine.
///
/// @param ports at least one
public record NodePorts(List<Integer> ports) {
  public NodePorts {
    ports = List.copyOf(ports);
  }

  int any(RandomGenerator chance) {
    return ports.get(chance.nextInt(ports.size()));
  }
}
