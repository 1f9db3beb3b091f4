/// What reaches the server over the wire from clients that are broken, slow, or mean it.
@NullMarked
package fairgate.app.wire;

import org.jspecify.annotations.NullMarked;
