package fairgate.kernel;

/// The id of a browser from its signed `fairgate_device` cookie: 128 random bits as 22 characters
/// of base64url. Never stored; keys contain a keyed hash of it for each product.
public record DeviceId(String value) {
  public DeviceId {
    if (value.length() != 22) {
      throw new IllegalArgumentException("a device id is 22 characters");
    }
  }

  @Override
  public String toString() {
    return "[device]";
  }
}
