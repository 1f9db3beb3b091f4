package fairgate.line.talk;

import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import java.util.List;

/// The queue sessions that belong to a LINE user.
public interface PlaceBindings {
  /// The user's sessions, including those that are over. May block.
  List<SessionId> sessions(String userId);

  /// A URL that leads the user into the sale and binds the first session created there to the user.
  String joinLink(String userId, ProductId product);

  /// The URL of a sale, which binds no user.
  String saleLink(ProductId product);
}
