package fairgate.line.talk;

import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import java.util.List;

/// Which places in queues belong to which LINE user.
public interface Bound {
  /// The user's places, also those that are over. May block.
  List<SessionId> sessions(String userId);

  /// An address that leads the user into the sale and binds the place he takes there to him; it
  /// does so once.
  String joinLink(String userId, ProductId product);

  /// The address of a sale, bound to nobody.
  String saleLink(ProductId product);
}
