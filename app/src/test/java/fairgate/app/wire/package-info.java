/// Tests with broken, slow or malicious clients on the socket.
@NullMarked
package fairgate.app.wire;

import org.jspecify.annotations.NullMarked;
