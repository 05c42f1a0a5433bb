s/"warnings":\[[^]]*\]/"warnings":[]/g
s/"(total|min|max|mean|p50|p90|p90_to_p50_delta_ppm|[a-z_]*duration_ns)":[0-9.]+/"\1":0/g
